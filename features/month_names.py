"""What dates in words are made of, by language: names of months, "yesterday" and "today", phrases such as "days ago".

Names and phrases are those of the Unicode CLDR (https://cldr.unicode.org), without short forms that are common words of
their language; a digit stands for any. They are kept here because loading them costs more than a page, and because what
comes out of a locale library may depend on the locales loaded before.
"""

from __future__ import annotations

_ALIASES = {"nb": "no", "nn": "no", "hr": "sh", "bs": "sh", "sr": "sh"}

_TABLE = """
en | january, february, march, april, june, july, august, september, october, november, december, jan, feb, mar, apr, jun, jul, aug, sep, sept, oct, nov, dec, yesterday, today, seconds ago, minute ago, minutes ago, hour ago, hours ago, day ago, days ago, week ago, weeks ago, month ago, months ago, year ago, years ago
de | januar, jänner, februar, märz, april, mai, juni, juli, august, september, oktober, november, dezember, jan, feb, apr, aug, sep, sept, okt, nov, dez, mär, jun, jul, gestern, heute, vor 0, vor 00
fr | janvier, février, mars, avril, mai, juin, juillet, août, septembre, octobre, novembre, décembre, janv, févr, avr, juil, sept, oct, nov, déc, hier, aujourd'hui, il y a 0, il y a 00
es | enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, octubre, noviembre, diciembre, ene, feb, abr, jun, jul, ago, sep, sept, oct, nov, dic, ayer, hoy, hace 0, hace 00
it | gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre, gen, feb, apr, mag, giu, lug, ago, ott, nov, dic, ieri, oggi, minuti fa, ore fa, giorni fa, settimane fa, mesi fa, anni fa
pt | janeiro, fevereiro, março, abril, maio, junho, julho, agosto, setembro, outubro, novembro, dezembro, jan, fev, abr, mai, jun, jul, ago, set, out, nov, dez, ontem, hoje, há 0, há 00
nl | januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december, jan, feb, mrt, apr, jun, jul, aug, sep, okt, nov, dec, gisteren, vandaag, minuten geleden, uur geleden, dagen geleden, weken geleden, maanden geleden, jaar geleden
sv | januari, februari, mars, april, maj, juni, juli, augusti, september, oktober, november, december, jan, feb, apr, aug, sep, sept, okt, nov, dec, igår, idag, minuter sedan, timmar sedan, dagar sedan, veckor sedan, månader sedan, år sedan
da | januar, februar, marts, april, maj, juni, juli, august, september, oktober, november, december, jan, feb, apr, jun, jul, aug, sep, okt, nov, dec, i går, i dag, minutter siden, timer siden, dage siden, uger siden, måneder siden, år siden
no | januar, februar, mars, april, mai, juni, juli, august, september, oktober, november, desember, jan, feb, apr, jun, jul, aug, sep, okt, nov, des, i går, i dag, minutter siden, timer siden, døgn siden, dager siden, uker siden, måneder siden, år siden
fi | tammikuuta, helmikuuta, maaliskuuta, huhtikuuta, toukokuuta, kesäkuuta, heinäkuuta, elokuuta, syyskuuta, lokakuuta, marraskuuta, joulukuuta, tammikuu, helmikuu, maaliskuu, huhtikuu, toukokuu, kesäkuu, heinäkuu, elokuu, syyskuu, lokakuu, marraskuu, joulukuu, eilen, tänään, minuuttia sitten, tuntia sitten, päivää sitten, viikkoa sitten, kuukautta sitten, vuotta sitten
is | janúar, febrúar, mars, apríl, maí, júní, júlí, ágúst, september, október, nóvember, desember, jan, feb, apr, jún, júl, sep, okt, nóv, des, í gær, í dag, fyrir 0, fyrir 00
pl | stycznia, lutego, marca, kwietnia, maja, czerwca, lipca, sierpnia, września, października, listopada, grudnia, styczeń, luty, marzec, kwiecień, maj, czerwiec, lipiec, sierpień, wrzesień, październik, listopad, grudzień, sty, lut, kwi, cze, sie, wrz, paź, gru, wczoraj, dzisiaj, dziś, minut temu, minuty temu, godzin temu, godziny temu, dni temu, tygodnie temu, tygodni temu, miesiące temu, miesięcy temu, lata temu, lat temu
cs | ledna, února, března, dubna, května, června, července, srpna, září, října, listopadu, prosince, leden, únor, březen, duben, květen, červen, červenec, srpen, říjen, listopad, prosinec, včera, dnes, před 0, před 00
sk | januára, februára, marca, apríla, mája, júna, júla, augusta, septembra, októbra, novembra, decembra, január, február, marec, apríl, máj, jún, júl, august, september, október, november, december, jan, feb, apr, aug, sep, okt, nov, dec, včera, dnes, pred 0, pred 00
sl | januar, januarja, februar, februarja, marec, marca, april, aprila, maj, maja, junij, junija, julij, julija, avgust, avgusta, september, septembra, oktober, oktobra, november, novembra, december, decembra, jan, feb, apr, avg, sep, okt, nov, dec, včeraj, danes, pred 0, pred 00
sh | siječnja, veljače, ožujka, travnja, svibnja, lipnja, srpnja, kolovoza, rujna, listopada, studenoga, prosinca, siječanj, veljača, ožujak, travanj, svibanj, lipanj, srpanj, kolovoz, rujan, listopad, studeni, prosinac, januar, februar, mart, april, maj, jun, juni, jul, juli, avgust, august, septembar, oktobar, novembar, decembar, јануар, фебруар, март, април, мај, јун, јул, август, септембар, октобар, новембар, децембар, јан, феб, апр, авг, сеп, окт, нов, дец, jučer, juče, danas, јуче, данас, prije 0, prije 00, pre 0, pre 00, пре 0, пре 00
hu | január, február, március, április, május, június, július, augusztus, szeptember, október, november, december, jan, febr, márc, ápr, máj, jún, júl, aug, szept, okt, nov, dec, tegnap, ma, perce, órája, napja, hete, hónapja, éve, perccel ezelőtt, órával ezelőtt, nappal ezelőtt, héttel ezelőtt, hónappal ezelőtt, évvel ezelőtt
ro | ianuarie, februarie, martie, aprilie, iunie, iulie, august, septembrie, octombrie, noiembrie, decembrie, ian, feb, apr, iun, iul, aug, sept, oct, noi, dec, ieri, astăzi, azi, acum 0, acum 00
bg | януари, февруари, март, април, юни, юли, август, септември, октомври, ноември, декември, яну, фев, апр, авг, сеп, окт, ное, дек, вчера, днес, преди 0, преди 00
ru | января, февраля, марта, апреля, мая, июня, июля, августа, сентября, октября, ноября, декабря, январь, февраль, март, апрель, май, июнь, июль, август, сентябрь, октябрь, ноябрь, декабрь, янв, февр, фев, апр, июн, июл, авг, сент, сен, окт, нояб, ноя, дек, вчера, сегодня, минуты назад, минуту назад, минут назад, час назад, часа назад, часов назад, день назад, дня назад, дней назад, неделю назад, недели назад, недель назад, месяц назад, месяца назад, месяцев назад, год назад, года назад, лет назад
uk | січня, лютого, березня, квітня, травня, червня, липня, серпня, вересня, жовтня, листопада, грудня, січень, лютий, березень, квітень, травень, червень, липень, серпень, вересень, жовтень, листопад, грудень, січ, лют, квіт, трав, черв, лип, серп, жовт, груд, вчора, сьогодні, хвилини тому, хвилин тому, годину тому, години тому, годин тому, день тому, дні тому, днів тому, тижні тому, тижнів тому, місяці тому, місяців тому, рік тому, роки тому, років тому
el | ιανουαρίου, φεβρουαρίου, μαρτίου, απριλίου, μαΐου, ιουνίου, ιουλίου, αυγούστου, σεπτεμβρίου, οκτωβρίου, νοεμβρίου, δεκεμβρίου, ιανουάριος, φεβρουάριος, μάρτιος, απρίλιος, μάιος, ιούνιος, ιούλιος, αύγουστος, σεπτέμβριος, οκτώβριος, νοέμβριος, δεκέμβριος, ιαν, φεβ, μαρ, απρ, μαΐ, ιουν, ιουλ, αυγ, σεπ, οκτ, νοε, δεκ, χθες, σήμερα, πριν από 0, πριν από 00
tr | ocak, şubat, mart, nisan, mayıs, haziran, temmuz, ağustos, eylül, ekim, kasım, aralık, oca, şub, nis, haz, tem, ağu, eyl, dün, bugün, dakika önce, saat önce, gün önce, hafta önce, ay önce, yıl önce
lt | sausio, vasario, kovo, balandžio, gegužės, birželio, liepos, rugpjūčio, rugsėjo, spalio, lapkričio, gruodžio, sausis, vasaris, kovas, balandis, gegužė, birželis, liepa, rugpjūtis, rugsėjis, spalis, lapkritis, gruodis, vakar, šiandien, prieš 0, prieš 00
lv | janvāris, janvārī, februāris, februārī, marts, martā, aprīlis, aprīlī, maijs, maijā, jūnijs, jūnijā, jūlijs, jūlijā, augusts, augustā, septembris, septembrī, oktobris, oktobrī, novembris, novembrī, decembris, decembrī, janv, febr, apr, jūn, jūl, aug, sept, okt, nov, dec, vakar, šodien, pirms 0, pirms 00
et | jaanuar, jaanuaril, veebruar, veebruaril, märts, märtsil, aprill, aprillil, mai, mail, juuni, juunil, juuli, juulil, august, augustil, september, septembril, oktoober, oktoobril, november, novembril, detsember, detsembril, jaan, veebr, apr, aug, sept, okt, nov, dets, eile, täna, minuti eest, tunni eest, päeva eest, nädala eest, kuu eest, aasta eest, minutit tagasi, tundi tagasi, päeva tagasi
ca | gener, febrer, març, abril, maig, juny, juliol, agost, setembre, octubre, novembre, desembre, gen, febr, abr, jul, oct, nov, des, ahir, avui, fa 0, fa 00
id | januari, februari, maret, april, mei, juni, juli, agustus, september, oktober, november, desember, jan, feb, apr, jun, jul, agu, agt, sep, okt, nov, des, kemarin, hari ini, menit yang lalu, jam yang lalu, hari yang lalu, minggu yang lalu, bulan yang lalu, tahun yang lalu, menit lalu, jam lalu, hari lalu
ms | januari, februari, mac, april, mei, jun, julai, ogos, september, oktober, november, disember, jan, feb, apr, jul, ogo, sep, okt, nov, dis, semalam, hari ini, minit lalu, jam lalu, hari lalu, minggu lalu, bulan lalu, tahun lalu
vi | tháng 0, tháng 00, thg 0, thg 00, hôm qua, hôm nay, phút trước, giờ trước, ngày trước, tuần trước, tháng trước, năm trước
ar | يناير, فبراير, مارس, أبريل, إبريل, مايو, يونيو, يوليو, أغسطس, سبتمبر, أكتوبر, نوفمبر, ديسمبر, كانون الثاني, شباط, آذار, نيسان, أيار, حزيران, تموز, أيلول, تشرين الأول, تشرين الثاني, كانون الأول, أمس, اليوم, قبل 0, قبل 00, منذ 0, منذ 00
fa | ژانویهٔ, ژانویه, فوریهٔ, فوریه, مارس, آوریل, ژوئن, ژوئیهٔ, ژوئیه, سپتامبر, اکتبر, نوامبر, دسامبر, فروردین, اردیبهشت, خرداد, تیر, مرداد, شهریور, مهر, آبان, آذر, دی, بهمن, اسفند, دیروز, امروز, دقیقه پیش, ساعت پیش, روز پیش, هفته پیش, ماه پیش, سال پیش
he | ינואר, פברואר, מרץ, אפריל, מאי, יוני, יולי, אוגוסט, ספטמבר, אוקטובר, נובמבר, דצמבר, בינואר, בפברואר, במרץ, באפריל, במאי, ביוני, ביולי, באוגוסט, בספטמבר, באוקטובר, בנובמבר, בדצמבר, אתמול, היום, לפני 0, לפני 00
hi | जनवरी, फ़रवरी, फरवरी, मार्च, अप्रैल, मई, जून, जुलाई, अगस्त, सितंबर, सितम्बर, अक्टूबर, अक्तूबर, नवंबर, नवम्बर, दिसंबर, दिसम्बर, मिनट पहले, घंटे पहले, घंटा पहले, दिन पहले, सप्ताह पहले, माह पहले, महीने पहले, वर्ष पहले, साल पहले
bn | জানুয়ারী, জানুয়ারি, ফেব্রুয়ারী, ফেব্রুয়ারি, মার্চ, এপ্রিল, মে, জুন, জুলাই, আগস্ট, সেপ্টেম্বর, অক্টোবর, নভেম্বর, ডিসেম্বর, গতকাল, আজ, মিনিট আগে, ঘন্টা আগে, ঘণ্টা আগে, দিন আগে, সপ্তাহ আগে, মাস আগে, বছর আগে
th | มกราคม, กุมภาพันธ์, มีนาคม, เมษายน, พฤษภาคม, มิถุนายน, กรกฎาคม, สิงหาคม, กันยายน, ตุลาคม, พฤศจิกายน, ธันวาคม, เมื่อวาน, วันนี้, ที่ผ่านมา, นาทีที่แล้ว, ชั่วโมงที่แล้ว, วันที่แล้ว, ปีที่แล้ว
zh | 一月, 二月, 三月, 四月, 五月, 六月, 七月, 八月, 九月, 十月, 0月, 00月, 昨天, 今天, 分钟前, 小时前, 天前, 周前, 个月前, 年前, 分鐘前, 小時前, 週前, 個月前
ja | 0月, 00月, 昨日, 今日, 分前, 時間前, 日前, 週間前, か月前, ヶ月前, 年前
ko | 0월, 00월, 어제, 오늘, 0분 전, 00분 전, 0시간 전, 00시간 전, 0일 전, 00일 전, 0주 전, 0개월 전, 00개월 전, 0년 전, 00년 전, 분 전, 시간 전, 일 전
"""  # noqa: E501


def months_of(language: str) -> list[str]:
    """The terms of dates in a language (ISO 639-1); none where the language has no list."""
    wanted = _ALIASES.get(language, language)
    rows = (line.split(" | ") for line in _TABLE.strip().splitlines())
    return next((terms.split(", ") for code, terms in rows if code == wanted), [])
