import Foundation
import Holdfast
import HoldfastTransfer

/// The names of months in one language, as a table of workouts has them.
///
/// The names are those of the Unicode CLDR as Babel 2.19 has them, and not the system's, which differ by its version: short and long, as in a
/// date and alone, without points. Two of Austria are added.
struct MonthNames: Sendable {
  /// By the word, folded.
  private let numbers: [String: Int]

  /// The number of a month, from 1; nil for another word.
  func number(_ word: String) -> Int? { numbers[word] }

  /// English, German and French, where no file decides.
  static let usual = MonthNames(
    numbers: ["en", "de", "fr"].reduce(into: [:]) { numbers, language in
      for (number, names) in (folded[language] ?? []).enumerated() {
        for name in names where numbers[name] == nil { numbers[name] = number + 1 }
      }
    })

  static var languages: [String] { folded.keys.sorted() }

  /// What the words of a file mean. One language must read them all; where several do, they must agree.
  ///
  /// - Parameter language: the one that a person has named, which need not read them all; nil: any.
  /// - Returns: nil where no language reads them, or two read them as different months.
  init?(reading words: Set<String>, in language: String?) {
    if let language {
      let months = Self.folded[language] ?? []
      let all = words.union(months.joined())
      numbers = Dictionary(uniqueKeysWithValues: all.compactMap { word in Self.read(word, months, cut: true).map { (word, $0) } })
      return
    }
    // Programs cut the names in their own ways. Where the whole names fit a language, no beginning of another's counts.
    for cut in [false, true] {
      let found = Set(
        Self.folded.values.compactMap { months -> [String: Int]? in
          let read = words.compactMap { word in Self.read(word, months, cut: cut).map { (word, $0) } }
          return read.count == words.count ? Dictionary(read, uniquingKeysWith: { first, _ in first }) : nil
        })
      if let only = found.first {
        guard found.count == 1 else { return nil }
        numbers = only
        return
      }
    }
    return nil
  }

  private init(numbers: [String: Int]) { self.numbers = numbers }

  private static func read(_ word: String, _ months: [[String]], cut: Bool) -> Int? {
    let whole = months.indices.filter { months[$0].contains(word) }
    let fitting = cut && whole.isEmpty && word.count >= 3 ? months.indices.filter { months[$0].contains { $0.hasPrefix(word) } } : whole
    return fitting.count == 1 ? fitting.first.map { $0 + 1 } : nil
  }

  private static let folded: [String: [[String]]] = names.split(separator: ";").reduce(into: [:]) { found, entry in
    let parts = entry.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2 else { return }
    found[String(parts[0])] = parts[1].split(separator: "|").map { month in
      month.split(whereSeparator: \.isWhitespace).map { SortText.folded(String($0)) }
    }
  }

  /// For each language its months, between them a line, and for each month its names.
  private static let names = """
    en jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep september|oct october|nov november|
      dec december;
    de jan januar jänner|feb februar feber|märz mär|apr april|mai|juni jun|juli jul|aug august|sept september sep|okt oktober|
      nov november|dez dezember;
    fr janv janvier|févr février|mars|avr avril|mai|juin|juil juillet|août|sept septembre|oct octobre|nov novembre|déc décembre;
    es ene enero|feb febrero|mar marzo|abr abril|may mayo|jun junio|jul julio|ago agosto|sept septiembre|oct octubre|nov noviembre|
      dic diciembre;
    it gen gennaio|feb febbraio|mar marzo|apr aprile|mag maggio|giu giugno|lug luglio|ago agosto|set settembre|ott ottobre|
      nov novembre|dic dicembre;
    pt jan janeiro|fev fevereiro|mar março|abr abril|mai maio|jun junho|jul julho|ago agosto|set setembro|out outubro|nov novembro|
      dez dezembro;
    nl jan januari|feb februari|mrt maart|apr april|mei|jun juni|jul juli|aug augustus|sep september|okt oktober|nov november|
      dec december;
    sv jan januari|feb februari|mars|apr april|maj|juni|juli|aug augusti|sep september|okt oktober|nov november|dec december;
    da jan januar|feb februar|mar marts|apr april|maj|jun juni|jul juli|aug august|sep september|okt oktober|nov november|dec december;
    nb jan januar|feb februar|mars mar|apr april|mai|juni jun|juli jul|aug august|sep september|okt oktober|nov november|des desember;
    fi tammi tammikuuta tammikuu|helmi helmikuuta helmikuu|maalis maaliskuuta maaliskuu|huhti huhtikuuta huhtikuu|
      touko toukokuuta toukokuu|kesä kesäkuuta kesäkuu|heinä heinäkuuta heinäkuu|elo elokuuta elokuu|syys syyskuuta syyskuu|
      loka lokakuuta lokakuu|marras marraskuuta marraskuu|joulu joulukuuta joulukuu;
    pl sty stycznia styczeń|lut lutego luty|mar marca marzec|kwi kwietnia kwiecień|maj maja|cze czerwca czerwiec|lip lipca lipiec|
      sie sierpnia sierpień|wrz września wrzesień|paź października październik|lis listopada listopad|gru grudnia grudzień;
    cs led ledna leden|úno února únor|bře března březen|dub dubna duben|kvě května květen|čvn června červen|čvc července červenec|
      srp srpna srpen|zář září|říj října říjen|lis listopadu listopad|pro prosince prosinec;
    sk jan januára január|feb februára február|mar marca marec|apr apríla apríl|máj mája|jún júna|júl júla|aug augusta august|
      sep septembra september|okt októbra október|nov novembra november|dec decembra december;
    hr sij siječnja siječanj|velj veljače veljača|ožu ožujka ožujak|tra travnja travanj|svi svibnja svibanj|lip lipnja lipanj|
      srp srpnja srpanj|kol kolovoza kolovoz|ruj rujna rujan|lis listopada listopad|stu studenoga studeni|pro prosinca prosinac;
    hu jan január|febr február|márc március|ápr április|máj május|jún június|júl július|aug augusztus|szept szeptember|okt október|
      nov november|dec december;
    ro ian ianuarie|feb februarie|mar martie|apr aprilie|mai|iun iunie|iul iulie|aug august|sept septembrie|oct octombrie|
      nov noiembrie|dec decembrie;
    tr oca ocak|şub şubat|mar mart|nis nisan|may mayıs|haz haziran|tem temmuz|ağu ağustos|eyl eylül|eki ekim|kas kasım|ara aralık;
    ru янв января январь|февр февраля февраль|мар марта март|апр апреля апрель|мая май|июн июня июнь|июл июля июль|авг августа август|
      сент сентября сентябрь|окт октября октябрь|нояб ноября ноябрь|дек декабря декабрь;
    uk січ січня січень|лют лютого лютий|бер березня березень|квіт квітня квітень|трав травня травень|черв червня червень|
      лип липня липень|серп серпня серпень|вер вересня вересень|жовт жовтня жовтень|лист листопада листопад|груд грудня грудень;
    el ιαν ιανουαρίου ιανουάριος|φεβ φεβρουαρίου φεβρουάριος|μαρ μαρτίου μάρ μάρτιος|απρ απριλίου απρίλιος|μαΐ μαΐου μάι μάιος|
      ιουν ιουνίου ιούν ιούνιος|ιουλ ιουλίου ιούλ ιούλιος|αυγ αυγούστου αύγ αύγουστος|σεπ σεπτεμβρίου σεπτέμβριος|
      οκτ οκτωβρίου οκτώβριος|νοε νοεμβρίου νοέ νοέμβριος|δεκ δεκεμβρίου δεκέμβριος;
    ca gen gener|febr febrer|març|abr abril|maig|juny|jul juliol|ag agost|set setembre|oct octubre|nov novembre|des desembre;
    """
}
