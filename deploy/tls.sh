#!/bin/sh
# A CA of one's own and a certificate of the services of docker-compose.scale.yml, in deploy/tls, for trying out.
set -e
umask 077
cd "$(dirname "$0")"
mkdir -p tls
cd tls
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj "/CN=shop trial CA" -keyout ca.key -out ca.crt
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=shop trial" -keyout server.key -out server.csr
printf 'subjectAltName=DNS:localhost,DNS:lb,DNS:nats1,DNS:nats2,DNS:nats3\n' > server.ext
openssl x509 -req -days 365 -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -extfile server.ext -out server.crt
# Several users read them inside the containers.
chmod 644 ca.crt server.crt server.key
