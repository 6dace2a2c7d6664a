/** Common words by language, for made-up prose in many scripts. */
export const words: Readonly<Record<string, string>> = {
  english:
    "the server keeps every message until someone reads it and then writes a short answer about what happened yesterday because the window was full of old results which nobody wanted to see again so we removed them",
  german:
    "der Speicher hält jede Nachricht bis jemand sie liest und schreibt danach eine kürzere Antwort darüber was gestern geschehen ist weil das Fenster voller älterer Ergebnisse größtenteils überflüssig war",
  french:
    "le serveur garde chaque message jusqu'à ce que quelqu'un le lise puis écrit une réponse très brève à propos de ce qui s'est passé hier parce que la fenêtre était déjà pleine",
  turkish:
    "sunucu her iletiyi biri okuyana kadar saklar sonra dün olanlar hakkında kısa bir yanıt yazar çünkü pencere eski sonuçlarla doluydu ve kimse görmek istemiyordu",
  vietnamese:
    "máy chủ giữ từng tin nhắn cho đến khi có người đọc rồi viết một câu trả lời ngắn về những gì đã xảy ra hôm qua vì cửa sổ đã đầy kết quả cũ",
  russian:
    "сервер хранит каждое сообщение пока кто-нибудь его не прочитает а затем пишет короткий ответ о том что произошло вчера потому что окно было заполнено старыми результатами",
  greek:
    "ο διακομιστής κρατά κάθε μήνυμα μέχρι κάποιος να το διαβάσει και μετά γράφει μια σύντομη απάντηση για το τι έγινε χθες επειδή το παράθυρο ήταν γεμάτο",
  arabic:
    "يحتفظ الخادم بكل رسالة حتى يقرأها شخص ما ثم يكتب جوابا قصيرا عما حدث أمس لأن النافذة كانت مليئة بالنتائج القديمة التي لم يرغب أحد في رؤيتها",
  hebrew:
    "השרת שומר כל הודעה עד שמישהו קורא אותה ואז כותב תשובה קצרה על מה שקרה אתמול כי החלון היה מלא בתוצאות ישנות שאיש לא רצה לראות",
  hindi:
    "सर्वर हर संदेश को तब तक रखता है जब तक कोई उसे पढ़ न ले और फिर कल जो हुआ उसके बारे में एक छोटा उत्तर लिखता है क्योंकि खिड़की पुराने परिणामों से भरी थी",
  bengali:
    "সার্ভার প্রতিটি বার্তা রাখে যতক্ষণ না কেউ তা পড়ে তারপর গতকাল কী ঘটেছিল সে সম্পর্কে একটি ছোট উত্তর লেখে কারণ জানালা পুরানো ফলাফলে ভরা ছিল",
  tamil:
    "சேவையகம் ஒவ்வொரு செய்தியையும் யாராவது படிக்கும் வரை வைத்திருக்கும் பின்னர் நேற்று நடந்ததைப் பற்றி ஒரு சிறிய பதில் எழுதும் ஏனெனில் சாளரம் நிரம்பியிருந்தது",
  thai: "เซิร์ฟเวอร์ เก็บ ทุก ข้อความ ไว้ จนกว่า จะมี คนอ่าน แล้ว เขียน คำตอบ สั้นๆ เกี่ยวกับ สิ่งที่ เกิดขึ้น เมื่อวาน เพราะ หน้าต่าง เต็มไปด้วย ผลลัพธ์ เก่า",
  georgian:
    "სერვერი ინახავს ყველა შეტყობინებას სანამ ვინმე წაიკითხავს და შემდეგ წერს მოკლე პასუხს იმის შესახებ რა მოხდა გუშინ რადგან ფანჯარა სავსე იყო",
  armenian:
    "սերվերը պահում է ամեն հաղորդագրություն մինչև որևէ մեկը կարդա այն և հետո գրում է կարճ պատասխան այն մասին ինչ եղավ երեկ քանի որ պատուհանը լի էր",
  amharic: "አገልጋዩ ሰው እስኪያነበው ድረስ እያንዳንዱን መልእክት ይይዛል ከዚያም ትናንት ስለሆነው ነገር አጭር መልስ ይጽፋል ምክንያቱም መስኮቱ ሞልቶ ነበር",
  chinese:
    "服务器 保存 每一条 消息 直到 有人 阅读 它 然后 写下 一个 关于 昨天 发生 的 事情 的 简短 回答 因为 窗口 已经 充满 旧 结果",
  japanese:
    "サーバーは 誰かが 読むまで すべての メッセージを 保存し その後 昨日 起きた ことに ついて 短い 返事を 書きます 窓が 古い 結果で いっぱい だったからです",
  korean:
    "서버는 누군가 읽을 때까지 모든 메시지를 보관하고 그런 다음 어제 일어난 일에 대해 짧은 답변을 씁니다 창이 오래된 결과로 가득 찼기 때문입니다",
};
