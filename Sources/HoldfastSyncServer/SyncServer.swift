internal import Holdfast
internal import HoldfastSync
