(import :gerbil/gambit :std/iter :std/net/httpd)

(def (hello request response)
  (http-response-write response 200 '(("Content-Type" . "text/plain; charset=UTF-8")) "hello"))

(def routes (make-hash-table))

(for (number (in-range (string->number (getenv "PATHS"))))
  (hash-put! routes (string-append "/items/" (number->string number)) hello))

(def mux (make-static-http-mux routes)) ; a table that nobody can change, so it needs no lock

(thread-join! (start-http-server! (string-append "127.0.0.1:" (getenv "PORT")) mux: mux))
