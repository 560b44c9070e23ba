(import :gerbil/gambit :std/iter :std/net/httpd)

(def (hello request response)
  (http-response-write response 200 '(("Content-Type" . "text/plain; charset=UTF-8")) "hello"))

(def server
  (start-http-server! (string-append "127.0.0.1:" (getenv "PORT")))) ; its mux locks a table for each request

(for (number (in-range (string->number (getenv "PATHS"))))
  (http-register-handler server (string-append "/items/" (number->string number)) hello))

(thread-join! server)
