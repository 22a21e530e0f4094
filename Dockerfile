# The storefront, then the program with the storefront in it, then nothing but the program.
FROM node:24.18.0-slim@sha256:cb4e8f7c443347358b7875e717c29e27bf9befc8f5a26cf18af3c3dec80e58c5 AS web
WORKDIR /shop/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

FROM golang:1.26.8@sha256:9d2f36f06329b2a141b9db99ffa32765cf695ee57b813ca29e245e8670bcbfff AS program
WORKDIR /shop
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /shop/web/dist web/dist
COPY --from=web /shop/readapi/words/dictionary readapi/words/dictionary
ARG RELEASE=
RUN CGO_ENABLED=0 go build -trimpath -tags timetzdata -ldflags "-s -w -X shop/cmd/shop/app.release=${RELEASE}" -o /bin/shop ./cmd/shop && mkdir /data && mkdir -m 1777 /scratch

FROM scratch
COPY --from=program /bin/shop /bin/shop
COPY --from=program /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=program /scratch /tmp
COPY --from=program --chown=65532:65532 /data /data
USER 65532:65532
ENV SHOP_ADDR=0.0.0.0:8080 SHOP_DATA_DIR=/data SHOP_LOG_FORMAT=json
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/bin/shop"]
CMD ["serve"]
