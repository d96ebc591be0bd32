"""Words of web interfaces by language: what buttons say, how authorship is stated, what notices are called.

The same ideas in each language; where a language has several usual forms, all of them. Terms are compared without
regard to letter case, and in scripts without spaces as substrings (`vclean.features.terms`). No term of a list stands
in another one of it: it would count twice.
"""

from __future__ import annotations

LISTS = ("actions", "bylines", "boilerplate", "copyrights")
"""Words of interface actions; of authorship and posting; of notices, advertisement and recommendation; of copyright."""

_ALIASES = {"nb": "no", "nn": "no", "hr": "sh", "bs": "sh", "sr": "sh", "ms": "id"}
"""Languages that write these words alike, or mostly: the standards of Norwegian and of Serbo-Croatian, Malay."""

_TABLE = """
en | actions | read more, learn more, show more, see more, view more, load more, show all, see all, view all, show less, sign in, sign up, sign out, log in, log out, login, logout, subscribe, share, tweet, print, add to, click, buy now, download, reply, search, back to, follow, next, previous, skip to, register, checkout, cart, menu, close
en | bylines | by, posted, published, author, updated, views, comment, comments, replies
en | boilerplate | privacy, terms of, terms and, cookie, cookies, newsletter, newsletters, advertise, advertisement, advertising, sponsored, disclaimer, contact us, about us, sitemap, related, recommended, you may, powered by, trademark
en | copyrights | copyright, all rights
de | actions | weiterlesen, mehr lesen, mehr erfahren, mehr anzeigen, alle anzeigen, weniger anzeigen, mehr laden, anmelden, einloggen, abmelden, ausloggen, registrieren, abonnieren, teilen, drucken, warenkorb, jetzt kaufen, klicken, herunterladen, download, antworten, suche, suchen, zurück, folgen, weiter, vorherige, zum inhalt, kasse, menü, schließen
de | bylines | von, veröffentlicht, autor, autorin, aktualisiert, aufrufe, kommentar, kommentare, antworten
de | boilerplate | datenschutz, datenschutzerklärung, agb, nutzungsbedingungen, cookies, newsletter, anzeige, werbung, gesponsert, haftungsausschluss, impressum, kontakt, über uns, sitemap, ähnliche, verwandte, empfohlen, auch interessieren
de | copyrights | copyright, alle rechte, urheberrecht
fr | actions | lire la suite, lire plus, en savoir plus, voir plus, afficher plus, voir tout, tout voir, voir moins, se connecter, connexion, déconnexion, inscription, inscrire, abonner, partager, imprimer, panier, acheter, cliquez, télécharger, répondre, rechercher, recherche, retour, suivre, suivant, précédent, aller au contenu, menu, fermer
fr | bylines | par, publié, posté, auteur, mis à jour, vues, commentaire, commentaires, réponses
fr | boilerplate | confidentialité, mentions légales, conditions générales, conditions d'utilisation, cookies, newsletter, publicité, sponsorisé, contact, contactez, qui sommes, à propos, plan du site, articles similaires, à lire aussi, recommandé, vous aimerez
fr | copyrights | copyright, tous droits
es | actions | leer más, saber más, ver más, mostrar más, ver todo, ver todos, ver menos, iniciar sesión, acceder, regístrate, registrarse, suscríbete, suscribirse, compartir, imprimir, añadir al, agregar al, carrito, comprar, haz clic, descargar, responder, buscar, volver, seguir, siguiente, anterior, saltar al, menú, cerrar
es | bylines | por, publicado, autor, autora, actualizado, vistas, comentario, comentarios, respuestas
es | boilerplate | privacidad, aviso legal, términos y condiciones, términos de, condiciones de uso, cookies, boletín, newsletter, publicidad, patrocinado, contacto, contáctanos, quiénes somos, sobre nosotros, mapa del sitio, relacionados, relacionadas, recomendados, te puede interesar
es | copyrights | copyright, todos los derechos, derechos reservados
it | actions | leggi tutto, leggi di più, continua a leggere, scopri di più, mostra altro, vedi tutti, vedi tutto, mostra meno, accedi, esci, registrati, iscriviti, abbonati, condividi, stampa, aggiungi al, carrello, acquista, clicca, scarica, rispondi, cerca, torna, segui, successivo, precedente, vai al contenuto, menu, chiudi
it | bylines | pubblicato, scritto da, autore, aggiornato, visualizzazioni, commento, commenti, risposte
it | boilerplate | privacy, informativa, note legali, termini e condizioni, condizioni d'uso, cookie, newsletter, pubblicità, sponsorizzato, contatti, contattaci, chi siamo, mappa del sito, correlati, correlate, consigliati, potrebbe interessarti
it | copyrights | copyright, tutti i diritti, diritti riservati
pt | actions | leia mais, ler mais, saiba mais, ver mais, mostrar mais, carregar mais, ver tudo, ver todos, ver menos, entrar, iniciar sessão, sair, cadastre, registar, inscreva, assine, subscrever, compartilhar, compartilhe, partilhar, imprimir, adicionar ao, carrinho, comprar, clique, baixar, descarregar, responder, buscar, pesquisar, pesquisa, voltar, seguir, próximo, anterior, ir para o conteúdo, menu, fechar
pt | bylines | por, publicado, autor, autora, atualizado, visualizações, comentário, comentários, respostas
pt | boilerplate | privacidade, aviso legal, termos de, termos e condições, cookies, newsletter, publicidade, anúncio, patrocinado, contato, contacto, fale conosco, quem somos, sobre nós, mapa do site, relacionados, relacionadas, recomendados, você também pode
pt | copyrights | copyright, todos os direitos, direitos reservados
nl | actions | lees meer, lees verder, meer lezen, meer informatie, meer tonen, bekijk alle, toon alle, minder tonen, inloggen, aanmelden, uitloggen, registreren, abonneren, delen, deel, afdrukken, winkelwagen, koop nu, klik, downloaden, reageer, beantwoorden, zoeken, zoek, terug, volg, volgende, vorige, naar de inhoud, menu, sluiten
nl | bylines | door, geplaatst, gepubliceerd, auteur, bijgewerkt, weergaven, reactie, reacties
nl | boilerplate | privacy, privacybeleid, voorwaarden, cookies, nieuwsbrief, advertentie, adverteren, gesponsord, disclaimer, contact, over ons, sitemap, gerelateerd, gerelateerde, aanbevolen, misschien ook
nl | copyrights | copyright, alle rechten
sv | actions | läs mer, läs vidare, visa mer, visa fler, visa alla, se alla, visa mindre, logga in, logga ut, registrera, prenumerera, dela, skriv ut, lägg i, varukorg, köp nu, klicka, ladda ner, svara, sök, tillbaka, följ, nästa, föregående, hoppa till, meny, stäng
sv | bylines | publicerad, publicerat, skriven av, författare, uppdaterad, visningar, kommentar, kommentarer, svar
sv | boilerplate | integritet, integritetspolicy, villkor, cookies, kakor, nyhetsbrev, annons, annonsera, reklam, sponsrad, kontakta oss, kontakt, om oss, webbplatskarta, relaterade, rekommenderade, du kanske
sv | copyrights | copyright, upphovsrätt, alla rättigheter
da | actions | læs mere, vis mere, vis flere, vis alle, se alle, vis mindre, log ind, log ud, tilmeld, opret, abonner, del, udskriv, læg i, kurv, køb nu, klik, hent, svar, søg, tilbage, følg, næste, forrige, gå til indhold, menu, luk
da | bylines | udgivet, skrevet af, forfatter, opdateret, visninger, kommentar, kommentarer, svar
da | boilerplate | privatlivspolitik, persondatapolitik, vilkår, betingelser, cookies, nyhedsbrev, annonce, reklame, sponsoreret, kontakt, om os, sitemap, relaterede, anbefalede, måske også
da | copyrights | copyright, ophavsret, alle rettigheder
no | actions | les mer, les videre, vis mer, vis flere, vis alle, se alle, vis mindre, logg inn, logg ut, registrer, abonner, del, skriv ut, legg i, handlekurv, kjøp nå, klikk, last ned, svar, søk, tilbake, følg, neste, forrige, hopp til, meny, lukk
no | bylines | publisert, skrevet av, forfatter, oppdatert, visninger, kommentar, kommentarer, svar
no | boilerplate | personvern, personvernerklæring, vilkår, informasjonskapsler, cookies, nyhetsbrev, annonse, annonser, reklame, sponset, kontakt, om oss, nettstedskart, relaterte, anbefalte, kanskje også
no | copyrights | copyright, opphavsrett, alle rettigheter
fi | actions | lue lisää, lue koko, näytä lisää, näytä kaikki, katso kaikki, näytä vähemmän, kirjaudu, rekisteröidy, tilaa, jaa, tulosta, lisää ostoskoriin, ostoskori, osta, klikkaa, lataa, vastaa, haku, hae, etsi, takaisin, seuraa, seuraava, edellinen, siirry sisältöön, valikko, sulje
fi | bylines | julkaistu, kirjoittaja, kirjoittanut, päivitetty, katselukertaa, kommentti, kommentit, kommenttia, vastausta
fi | boilerplate | tietosuoja, tietosuojaseloste, käyttöehdot, ehdot, evästeet, uutiskirje, mainos, mainosta, sponsoroitu, vastuuvapauslauseke, ota yhteyttä, yhteystiedot, meistä, sivukartta, aiheeseen liittyvät, suositellut, lue myös
fi | copyrights | copyright, tekijänoikeus, kaikki oikeudet
is | actions | lesa meira, sjá meira, sjá allt, skrá inn, innskráning, útskrá, nýskráning, gerast áskrifandi, deila, prenta, setja í körfu, karfa, kaupa, smelltu, sækja, svara, leita, leit, til baka, fylgja, næsta, fyrri, valmynd, loka
is | bylines | birt, höfundur, skrifað af, uppfært, athugasemd, athugasemdir, ummæli
is | boilerplate | persónuvernd, persónuverndarstefna, skilmálar, vafrakökur, fréttabréf, auglýsing, auglýsingar, hafðu samband, um okkur, veftré, tengt efni, tengdar
is | copyrights | höfundarréttur, öll réttindi
pl | actions | czytaj więcej, czytaj dalej, dowiedz się więcej, pokaż więcej, zobacz więcej, pokaż wszystkie, zobacz wszystkie, pokaż mniej, zaloguj, wyloguj, zarejestruj, rejestracja, subskrybuj, zapisz się, udostępnij, drukuj, do koszyka, koszyk, kup teraz, kliknij, pobierz, odpowiedz, szukaj, wyszukaj, wróć, powrót, obserwuj, następny, następna, poprzedni, poprzednia, przejdź do treści, menu, zamknij
pl | bylines | opublikowano, dodano, napisał, napisała, autor, autorka, aktualizacja, odsłon, wyświetleń, komentarz, komentarze, komentarzy, odpowiedzi
pl | boilerplate | prywatność, prywatności, regulamin, warunki korzystania, cookies, ciasteczka, newsletter, reklama, sponsorowany, kontakt, o nas, mapa strony, powiązane, podobne, polecane, polecamy, zobacz też
pl | copyrights | copyright, prawa autorskie, wszelkie prawa, wszystkie prawa
cs | actions | číst dále, číst více, celý článek, více informací, zobrazit více, zobrazit vše, zobrazit méně, přihlásit, přihlášení, odhlásit, registrovat, registrace, odebírat, sdílet, tisk, vytisknout, do košíku, košík, koupit, klikněte, stáhnout, odpovědět, hledat, vyhledat, vyhledávání, zpět, sledovat, další, předchozí, přejít na obsah, menu, zavřít
cs | bylines | vložil, vložila, publikováno, napsal, napsala, autor, autorka, aktualizováno, zobrazení, komentář, komentáře, komentářů, odpovědi
cs | boilerplate | ochrana soukromí, osobních údajů, obchodní podmínky, podmínky užití, cookies, newsletter, reklama, inzerce, sponzorováno, kontakt, kontakty, o nás, mapa stránek, související, podobné, doporučujeme, mohlo by vás, běží na
cs | copyrights | copyright, všechna práva
sk | actions | čítať ďalej, čítať viac, viac informácií, zobraziť viac, zobraziť ďalšie, zobraziť všetko, zobraziť menej, prihlásiť, prihlásenie, odhlásiť, registrovať, registrácia, odoberať, zdieľať, tlačiť, vytlačiť, do košíka, košík, kúpiť, kliknite, stiahnuť, odpovedať, hľadať, vyhľadať, vyhľadávanie, späť, sledovať, ďalší, predchádzajúci, prejsť na obsah, menu, zavrieť
sk | bylines | pridal, pridala, publikované, napísal, napísala, autor, autorka, aktualizované, zobrazení, komentár, komentáre, komentárov, odpovede
sk | boilerplate | ochrana súkromia, osobných údajov, obchodné podmienky, podmienky používania, cookies, newsletter, reklama, inzercia, sponzorované, kontakt, kontakty, o nás, mapa stránok, súvisiace, podobné, odporúčame, mohlo by vás
sk | copyrights | copyright, všetky práva
sl | actions | preberi več, več informacij, prikaži več, pokaži več, prikaži vse, prikaži manj, prijava, prijavite se, odjava, registracija, naroči, deli, natisni, dodaj v košarico, košarica, kupi, kliknite, prenesi, odgovori, išči, iskanie, iskanje, nazaj, sledi, naslednji, naslednja, prejšnji, prejšnja, na vsebino, meni, zapri
sl | bylines | objavljeno, objavil, objavila, napisal, napisala, avtor, avtorica, posodobljeno, ogledov, komentar, komentarji, komentarjev, odgovori
sl | boilerplate | zasebnost, osebnih podatkov, pogoji uporabe, piškotki, piškotkih, novice po e pošti, oglas, oglaševanje, sponzorirano, kontakt, o nas, kazalo strani, sorodne, povezane, priporočamo
sl | copyrights | avtorske pravice, vse pravice
sh | actions | pročitaj više, čitaj više, opširnije, saznaj više, prikaži više, učitaj još, prikaži sve, prijava, prijavi se, odjava, registracija, pretplati, podijeli, podeli, ispiši, dodaj u košaricu, dodaj u korpu, košarica, korpa, kupi, kliknite, preuzmi, odgovori, pretraži, traži, pretraga, natrag, nazad, prati, sljedeća, sledeća, prethodna, izbornik, meni, zatvori, прочитај више, опширније, прикажи више, прикажи све, пријава, пријави се, одјава, регистрација, претплати, подели, штампај, корпа, купи, преузми, одговори, претрага, тражи, назад, прати, следећа, претходна, мени, затвори
sh | bylines | objavljeno, objavio, objavila, napisao, napisala, autor, autorica, ažurirano, pregleda, komentar, komentari, komentara, објављено, објавио, написао, аутор, ажурирано, прегледа, коментар, коментари, коментара
sh | boilerplate | privatnost, privatnosti, uvjeti korištenja, uslovi korišćenja, kolačići, kolačiće, newsletter, oglas, oglašavanje, marketing, sponzorirano, impressum, kontakt, o nama, mapa weba, povezano, povezane, slične, preporučujemo, приватност, приватности, услови коришћења, колачићи, оглас, оглашавање, импресум, контакт, о нама, повезано, сличне, препоручујемо
sh | copyrights | autorska prava, sva prava, ауторска права, сва права
hu | actions | tovább, bővebben, több megjelenítése, mutass többet, összes megtekintése, kevesebb, bejelentkezés, belépés, kijelentkezés, kilépés, regisztráció, feliratkozás, megosztás, nyomtatás, kosárba, kosár, vásárlás, kattints, letöltés, válasz, keresés, vissza, követés, következő, előző, ugrás a tartalomra, menü, bezárás
hu | bylines | írta, közzétéve, szerző, frissítve, megtekintés, hozzászólás, hozzászólások, komment, válaszok
hu | boilerplate | adatvédelem, adatvédelmi, adatkezelési, felhasználási feltételek, általános szerződési, sütik, cookie, hírlevél, hirdetés, reklám, szponzorált, impresszum, kapcsolat, rólunk, oldaltérkép, kapcsolódó, hasonló, ajánlott, ajánljuk
hu | copyrights | szerzői jog, szerzői jogok, minden jog
ro | actions | citește mai mult, citeşte mai mult, află mai multe, vezi mai mult, arată mai mult, vezi toate, mai puțin, autentificare, conectare, intră în cont, deconectare, înregistrare, abonează, abonare, distribuie, tipărește, coș, cumpără, click, descarcă, răspunde, caută, căutare, înapoi, urmărește, următorul, anterior, anteriorul, salt la conținut, meniu, închide
ro | bylines | de către, publicat, scris de, autor, actualizat, vizualizări, comentariu, comentarii, răspunsuri
ro | boilerplate | confidențialitate, politica de, termeni și condiții, termeni de, cookie, cookies, newsletter, publicitate, reclamă, sponsorizat, contact, despre noi, harta site, articole similare, recomandate, recomandări, citește și
ro | copyrights | copyright, drepturi de autor, toate drepturile
bg | actions | прочети повече, прочетете повече, научете повече, виж още, виж повече, покажи още, покажи всички, виж всички, вход, изход, влез, регистрация, абонирай, абонирайте, сподели, споделете, принтирай, отпечатай, добави в, количка, купи, кликнете, изтегли, отговори, търси, търсене, назад, последвай, следваща, следващ, предишна, предишен, към съдържанието, меню, затвори
bg | bylines | публикувано, публикувана, написано от, автор, обновено, прегледа, коментар, коментари, коментара, отговори
bg | boilerplate | поверителност, лични данни, общи условия, условия за ползване, бисквитки, бюлетин, реклама, спонсорирано, контакти, за нас, карта на сайта, свързани, подобни, препоръчани, препоръчваме
bg | copyrights | авторски права, всички права
ru | actions | читать дальше, читать полностью, подробнее, узнать больше, показать ещё, показать еще, показать все, смотреть все, свернуть, войти, вход, выйти, выход, регистрация, зарегистрироваться, подписаться, подпишитесь, поделиться, распечатать, версия для печати, добавить в, в корзину, корзина, купить, нажмите, скачать, ответить, поиск, найти, искать, назад, вернуться, следующая, следующий, предыдущая, предыдущий, далее, перейти к, меню, закрыть
ru | bylines | автор, опубликовано, написал, написала, обновлено, просмотров, просмотры, комментарий, комментарии, комментариев, ответы, ответов
ru | boilerplate | конфиденциальность, конфиденциальности, персональных данных, пользовательское соглашение, условия использования, правила сайта, cookie, рассылка, реклама, рекламодателям, на правах рекламы, контакты, о нас, о проекте, обратная связь, карта сайта, похожие, читайте также, рекомендуем, по теме, перепечатка
ru | copyrights | авторские права, все права
uk | actions | читати далі, читати більше, детальніше, докладніше, дізнатися більше, показати ще, показати більше, показати всі, дивитися всі, згорнути, увійти, вхід, вийти, вихід, реєстрація, зареєструватися, підписатися, підпишіться, поділитися, роздрукувати, версія для друку, додати до, до кошика, кошик, купити, натисніть, завантажити, відповісти, пошук, знайти, назад, повернутися, наступна, наступний, попередня, попередній, перейти до, меню, закрити
uk | bylines | автор, опубліковано, написав, написала, оновлено, переглядів, перегляди, коментар, коментарі, коментарів, відповіді
uk | boilerplate | конфіденційність, конфіденційності, персональних даних, умови використання, правила сайту, cookie, розсилка, реклама, контакти, про нас, про проєкт, зворотний зв'язок, мапа сайту, карта сайту, схожі, читайте також, рекомендуємо, за темою, передрук
uk | copyrights | авторські права, всі права, усі права
el | actions | περισσότερα, δείτε όλα, λιγότερα, σύνδεση, είσοδος, αποσύνδεση, εγγραφή, συνδρομή, κοινοποίηση, μοιραστείτε, εκτύπωση, καλάθι, αγορά, κάντε κλικ, λήψη, κατεβάστε, απάντηση, αναζήτηση, πίσω, επιστροφή, ακολουθήστε, επόμενο, επόμενη, προηγούμενο, προηγούμενη, μετάβαση, μενού, κλείσιμο
el | bylines | δημοσιεύτηκε, δημοσιεύθηκε, γράφει, γράφτηκε από, συντάκτης, συγγραφέας, ενημερώθηκε, προβολές, σχόλιο, σχόλια, απαντήσεις
el | boilerplate | απόρρητο, απορρήτου, προσωπικών δεδομένων, όροι, cookies, newsletter, ενημερωτικό δελτίο, διαφήμιση, χορηγούμενο, επικοινωνία, σχετικά με εμάς, ποιοι είμαστε, χάρτης ιστοτόπου, σχετικά άρθρα, διαβάστε επίσης, προτεινόμενα
el | copyrights | πνευματικά δικαιώματα, παντός δικαιώματος, όλα τα δικαιώματα
tr | actions | devamını oku, devamı, daha fazla, daha fazlası, tümünü gör, tümünü göster, daha az, giriş, oturum aç, çıkış, üye ol, kayıt ol, kaydol, abone ol, paylaş, yazdır, sepete ekle, sepet, sepetim, satın al, tıklayın, tıkla, indir, yanıtla, cevapla, ara, arama, geri, takip et, sonraki, önceki, içeriğe geç, menü, kapat
tr | bylines | yayınlandı, yayınlanma, yazan, yazar, güncellendi, güncelleme, görüntülenme, yorum, yorumlar, yanıtlar
tr | boilerplate | gizlilik, kvkk, kişisel verilerin, kullanım koşulları, kullanım şartları, çerez, çerezler, bülten, reklam, sponsorlu, künye, iletişim, bize ulaşın, hakkımızda, site haritası, ilgili, benzer, önerilen, bunlar da
tr | copyrights | telif hakkı, tüm hakları, her hakkı
lt | actions | skaityti daugiau, skaityti toliau, sužinoti daugiau, rodyti daugiau, žiūrėti visus, rodyti visus, prisijungti, atsijungti, registruotis, registracija, prenumeruoti, dalintis, spausdinti, į krepšelį, krepšelis, pirkti, spauskite, atsisiųsti, atsakyti, ieškoti, paieška, atgal, sekti, kitas, ankstesnis, pereiti prie, meniu, uždaryti
lt | bylines | paskelbta, publikuota, parašė, autorius, autorė, atnaujinta, peržiūros, komentaras, komentarai, atsakymai
lt | boilerplate | privatumo, privatumas, naudojimo sąlygos, taisyklės, slapukai, slapukų, naujienlaiškis, reklama, remiama, kontaktai, apie mus, svetainės medis, susiję, panašūs, rekomenduojame, taip pat skaitykite
lt | copyrights | autorių teisės, visos teisės
lv | actions | lasīt vairāk, lasīt tālāk, uzzināt vairāk, rādīt vairāk, skatīt visus, rādīt visus, pieslēgties, ieiet, iziet, reģistrēties, abonēt, dalīties, drukāt, pievienot grozam, grozs, pirkt, klikšķiniet, lejupielādēt, atbildēt, meklēt, atpakaļ, sekot, nākamais, nākamā, iepriekšējais, iepriekšējā, pāriet uz, izvēlne, aizvērt
lv | bylines | publicēts, publicēja, rakstīja, autors, autore, atjaunots, skatījumi, komentārs, komentāri, atbildes
lv | boilerplate | privātums, privātuma, noteikumi, sīkdatnes, sīkdatņu, jaunumi e pastā, reklāma, apmaksāts, kontakti, par mums, lapas karte, saistītie, saistītās, līdzīgi, iesakām, lasi arī
lv | copyrights | autortiesības, visas tiesības
et | actions | loe edasi, loe lähemalt, loe rohkem, vaata veel, näita rohkem, vaata kõiki, näita kõiki, logi sisse, sisene, logi välja, registreeru, telli, jaga, prindi, lisa korvi, ostukorv, osta, vajuta, laadi alla, vasta, otsi, otsing, tagasi, jälgi, järgmine, eelmine, liigu sisu juurde, menüü, sulge
et | bylines | avaldatud, postitas, kirjutas, autor, uuendatud, vaatamist, kommentaar, kommentaarid, kommentaari, vastust
et | boilerplate | privaatsus, privaatsuspoliitika, kasutustingimused, tingimused, küpsised, uudiskiri, reklaam, sponsoreeritud, kontakt, meist, sisukaart, seotud, sarnased, soovitame, loe ka
et | copyrights | autoriõigus, autoriõigused, kõik õigused
ca | actions | llegir més, llegeix més, més informació, veure més, mostrar més, veure tots, veure tot, iniciar sessió, inicia sessió, entra, registra't, subscriu, subscriure, comparteix, compartir, imprimir, afegir al, cistella, comprar, clica, descarrega, respondre, cerca, cercar, tornar, segueix, següent, anterior, ves al contingut, menú, tancar, tanca
ca | bylines | publicat, escrit per, autor, autora, actualitzat, visites, comentari, comentaris, respostes
ca | boilerplate | privacitat, privadesa, avís legal, termes i condicions, condicions d'ús, galetes, butlletí, publicitat, patrocinat, contacte, contacta, qui som, sobre nosaltres, mapa web, relacionats, relacionades, recomanats, et pot interessar
ca | copyrights | drets d'autor, tots els drets
id | actions | selengkapnya, baca lebih, lihat lainnya, lihat semua, tampilkan semua, muat lebih, masuk, keluar, daftar, langganan, berlangganan, bagikan, kongsi, cetak, tambah ke, keranjang, beli sekarang, klik, unduh, muat turun, balas, cari, carian, kembali, ikuti, selanjutnya, berikutnya, seterusnya, sebelumnya, menu, tutup
id | bylines | oleh, penulis, diterbitkan, dipublikasikan, diperbarui, dilihat, komentar, ulasan, komen, balasan
id | boilerplate | privasi, ketentuan, cookie, kuki, nawala, iklan, pengiklanan, disponsori, pedoman media, redaksi, kontak, hubungi kami, tentang kami, peta situs, terkait, berkaitan, rekomendasi, baca juga
id | copyrights | hak cipta, hak dilindungi
vi | actions | đọc thêm, xem thêm, xem chi tiết, tìm hiểu thêm, xem tất cả, thu gọn, đăng nhập, đăng xuất, đăng ký, theo dõi, chia sẻ, in bài, thêm vào giỏ, giỏ hàng, mua ngay, nhấn vào, tải về, tải xuống, trả lời, tìm kiếm, quay lại, tiếp theo, trang sau, trang trước, bỏ qua, menu, đóng
vi | bylines | tác giả, đăng bởi, viết bởi, đăng ngày, ngày đăng, cập nhật, lượt xem, bình luận, ý kiến, phản hồi
vi | boilerplate | bảo mật, quyền riêng tư, điều khoản, điều kiện sử dụng, cookie, bản tin, quảng cáo, tài trợ, tòa soạn, liên hệ, giới thiệu, về chúng tôi, sơ đồ trang, liên quan, đề xuất, có thể bạn
vi | copyrights | bản quyền, quyền tác giả
ar | actions | المزيد, عرض الكل, مشاهدة الكل, عرض أقل, تسجيل الدخول, دخول, تسجيل الخروج, خروج, إنشاء حساب, سجل الآن, اشترك, اشتراك, شارك, مشاركة, طباعة, أضف إلى, إضافة إلى, سلة, اشتر الآن, اضغط, انقر, تحميل, تنزيل, رد, بحث, ابحث, العودة, رجوع, تابع, تابعنا, التالي, السابق, انتقل إلى, القائمة, إغلاق
ar | bylines | بقلم, كتب, كتبت, كتبه, الكاتب, المؤلف, نشر, نشرت, تاريخ النشر, تحديث, مشاهدة, مشاهدات, تعليق, تعليقات, التعليقات, ردود
ar | boilerplate | الخصوصية, شروط الاستخدام, الشروط والأحكام, الأحكام, ملفات تعريف الارتباط, الكوكيز, النشرة, إعلان, إعلانات, أعلن معنا, برعاية, إخلاء مسؤولية, اتصل بنا, تواصل معنا, من نحن, خريطة الموقع, ذات صلة, مواضيع متعلقة, قد يعجبك, الأكثر قراءة, موصى به
ar | copyrights | حقوق النشر, حقوق الطبع, جميع الحقوق, كل الحقوق
fa | actions | ادامه مطلب, بیشتر, مشاهده همه, نمایش همه, ورود, خروج, ثبت نام, عضویت, اشتراک, چاپ, افزودن به, خرید, کلیک کنید, دانلود, دریافت, پاسخ, جستجو, جست‌وجو, بازگشت, دنبال کنید, بعدی, قبلی, پرش به, منو, بستن
fa | bylines | نویسنده, نوشته, منتشر شده, تاریخ انتشار, به روز رسانی, بازدید, دیدگاه, نظر, نظرات, دیدگاه‌ها, پاسخ‌ها
fa | boilerplate | حریم خصوصی, حریم شخصی, شرایط استفاده, قوانین, کوکی, کوکی‌ها, خبرنامه, تبلیغات, آگهی, حامی, تماس با ما, درباره ما, نقشه سایت, مرتبط, پیشنهادی, بیشتر ببینید, پربازدیدترین
fa | copyrights | کپی رایت, حق نشر, تمامی حقوق, کلیه حقوق, همه حقوق
he | actions | קראו עוד, קרא, המשך קריאה, למידע נוסף, הצג עוד, הצג הכל, הצג פחות, התחבר, התחברות, כניסה, התנתק, הרשמה, הירשם, הרשם, מנוי, שתף, שיתוף, הדפסה, הוסף לסל, סל, קנה עכשיו, לחץ כאן, לחצו, הורדה, הורד, השב, תגובה, חיפוש, חפש, חזרה, עקוב, הבא, הקודם, דלג לתוכן, תפריט, סגור
he | bylines | מאת, פורסם, נכתב על ידי, מחבר, כתב, כתבה, עודכן, צפיות, תגובה, תגובות
he | boilerplate | פרטיות, תנאי שימוש, תקנון, עוגיות, ניוזלטר, פרסומת, פרסם אצלנו, ממומן, בחסות, צור קשר, צרו קשר, אודות, אודותינו, מפת אתר, קשורים, כתבות נוספות, מומלצים, אולי יעניין
he | copyrights | זכויות יוצרים, כל הזכויות
hi | actions | और पढ़ें, आगे पढ़ें, पूरा पढ़ें, अधिक पढ़ें, अधिक जानें, और जानें, और देखें, अधिक देखें, सभी देखें, कम दिखाएं, लॉग इन, लॉगिन, साइन इन, लॉग आउट, साइन अप, पंजीकरण, रजिस्टर, सदस्यता, सब्सक्राइब, शेयर, साझा करें, प्रिंट, कार्ट, खरीदें, क्लिक करें, डाउनलोड, जवाब दें, उत्तर दें, खोज, खोजें, सर्च, वापस, फॉलो, अगला, पिछला, मेनू, बंद करें
hi | bylines | लेखक, लेखिका, द्वारा लिखित, प्रकाशित, अपडेट, अद्यतन, पोस्ट, टिप्पणी, टिप्पणियां, टिप्पणियाँ, कमेंट
hi | boilerplate | गोपनीयता, निजता, प्राइवेसी, शर्तें, कुकी, कुकीज़, कुकीज, न्यूज़लेटर, विज्ञापन, प्रायोजित, अस्वीकरण, डिस्क्लेमर, संपर्क करें, हमसे संपर्क, हमारे बारे में, साइटमैप, संबंधित, यह भी पढ़ें, ये भी पढ़ें, अनुशंसित
hi | copyrights | कॉपीराइट, सर्वाधिकार
bn | actions | আরও পড়ুন, আরো পড়ুন, বিস্তারিত, আরও জানুন, আরও দেখুন, আরো দেখুন, সব দেখুন, সকল দেখুন, লগইন, লগ ইন, সাইন ইন, লগ আউট, নিবন্ধন, সাইন আপ, সাবস্ক্রাইব, শেয়ার, প্রিন্ট, কার্টে যোগ, কার্ট, কিনুন, ক্লিক করুন, ডাউনলোড, উত্তর দিন, জবাব, অনুসন্ধান, খুঁজুন, সার্চ, ফিরে যান, ফলো, অনুসরণ করুন, পরবর্তী, পূর্ববর্তী, মেনু, বন্ধ করুন
bn | bylines | লেখক, লিখেছেন, প্রকাশিত, প্রকাশ, আপডেট, হালনাগাদ, প্রতিবেদক, মন্তব্য, মতামত, কমেন্ট
bn | boilerplate | গোপনীয়তা, প্রাইভেসি, শর্তাবলী, শর্তাবলি, ব্যবহারের শর্ত, কুকি, নিউজলেটার, বিজ্ঞাপন, স্পন্সর, যোগাযোগ, আমাদের সম্পর্কে, সাইটম্যাপ, সম্পর্কিত, আরও খবর, সর্বাধিক পঠিত
bn | copyrights | কপিরাইট, স্বত্ব, সর্বস্বত্ব
th | actions | อ่านต่อ, เพิ่มเติม, ดูทั้งหมด, แสดงทั้งหมด, โหลดเพิ่ม, เข้าสู่ระบบ, ล็อกอิน, ออกจากระบบ, สมัครสมาชิก, ลงทะเบียน, ติดตาม, แชร์, แบ่งปัน, พิมพ์, ตะกร้า, ซื้อเลย, คลิก, ดาวน์โหลด, ค้นหา, กลับ, ถัดไป, ก่อนหน้า, ข้ามไป, เมนู, ปิด
th | bylines | โดย, ผู้เขียน, โพสต์, เผยแพร่, อัปเดต, อัพเดท, เข้าชม, ความคิดเห็น, ความเห็น, คอมเมนต์
th | boilerplate | ความเป็นส่วนตัว, ข้อกำหนด, เงื่อนไข, คุกกี้, จดหมายข่าว, โฆษณา, ผู้สนับสนุน, ติดต่อเรา, เกี่ยวกับเรา, แผนผังเว็บไซต์, ที่เกี่ยวข้อง, แนะนำ
th | copyrights | ลิขสิทธิ์
zh | actions | 阅读全文, 查看全文, 更多, 查看全部, 显示全部, 收起, 展开, 登录, 登陆, 登出, 退出, 注册, 订阅, 分享, 转发, 打印, 购物车, 立即购买, 点击, 下载, 回复, 搜索, 返回, 关注, 收藏, 下一页, 下一篇, 上一页, 上一篇, 跳到, 菜单, 关闭, 閱讀全文, 顯示全部, 登入, 註冊, 訂閱, 列印, 購物車, 立即購買, 點擊, 下載, 回覆, 搜尋, 關注, 追蹤, 下一頁, 下一則, 上一頁, 選單, 關閉
zh | bylines | 作者, 记者, 编辑, 来源, 发布, 发表于, 更新, 阅读量, 浏览, 评论, 留言, 跟帖, 記者, 編輯, 來源, 發布, 發表於, 瀏覽, 評論, 回應
zh | boilerplate | 隐私, 服务条款, 使用条款, 用户协议, 免责声明, 法律声明, 广告, 赞助, 联系我们, 联系方式, 关于我们, 网站地图, 友情链接, 招聘, 备案, 相关阅读, 相关文章, 相关新闻, 推荐阅读, 热门, 猜你喜欢, 隱私, 服務條款, 使用條款, 免責聲明, 廣告, 贊助, 聯絡我們, 聯繫我們, 關於我們, 網站地圖, 電子報, 相關文章, 相關新聞, 延伸閱讀, 推薦, 熱門, 猜你喜歡
zh | copyrights | 版权, 著作权, 保留所有权利, 版權, 著作權, 保留所有權利
ja | actions | 続きを読む, もっと読む, もっと見る, さらに見る, 詳しく見る, 詳細を見る, こちら, すべて見る, 一覧を見る, 一覧へ, 閉じる, ログイン, ログアウト, サインイン, 新規登録, 会員登録, 登録する, 購読, シェア, ツイート, 印刷, カート, 購入, クリック, ダウンロード, 返信, 検索, 戻る, フォロー, 次へ, 次のページ, 次の記事, 前へ, 前のページ, 前の記事, スキップ, メニュー
ja | bylines | 著者, 筆者, 投稿者, 投稿日, 執筆, 記者, 文責, 公開日, 更新日, 最終更新, 閲覧数, コメント, 件の返信
ja | boilerplate | プライバシー, 個人情報, 利用規約, 特定商取引, クッキー, メールマガジン, メルマガ, 広告, スポンサー, 免責事項, 問い合わせ, 会社概要, 運営会社, 当サイトについて, サイトマップ, 関連記事, 関連リンク, おすすめ, 人気記事, よく読まれている, ランキング, あわせて読みたい
ja | copyrights | 著作権, 無断転載, 無断複製, 転載を禁じます
ko | actions | 더 보기, 더보기, 자세히, 계속 읽기, 전체보기, 전체 보기, 모두 보기, 접기, 로그인, 로그아웃, 회원가입, 가입하기, 구독, 구독하기, 공유, 공유하기, 인쇄, 프린트, 장바구니, 장바구니에, 구매하기, 바로구매, 클릭, 다운로드, 내려받기, 답글, 답글쓰기, 검색, 돌아가기, 뒤로, 팔로우, 다음, 이전, 다음글, 이전글, 바로가기, 메뉴, 닫기
ko | bylines | 작성자, 글쓴이, 기자, 저자, 게시, 등록, 입력, 작성일, 등록일, 수정, 최종수정, 업데이트, 조회, 조회수, 댓글, 의견
ko | boilerplate | 개인정보, 개인정보처리방침, 개인정보취급방침, 이용약관, 쿠키, 뉴스레터, 광고, 광고문의, 후원, 스폰서, 청소년보호정책, 고객센터, 문의하기, 연락처, 회사소개, 소개, 사이트맵, 관련기사, 관련 기사, 관련글, 추천, 인기기사, 많이 본
ko | copyrights | 저작권, 저작권자, 무단전재, 무단 전재, 재배포 금지
"""  # noqa: E501


def lists_of(language: str) -> dict[str, list[str]]:
    """The terms of every list in a language (ISO 639-1); empty where the language has none."""
    wanted = _ALIASES.get(language, language)
    rows = (line.split(" | ") for line in _TABLE.strip().splitlines())
    return {name: terms.split(", ") for code, name, terms in rows if code == wanted}
