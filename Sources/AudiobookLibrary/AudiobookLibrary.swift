public import Holdfast
