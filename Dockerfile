# A static binary in an empty root: no shell, no package manager, one volume.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
ARG COMMIT=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X main.version=${VERSION} -X main.commit=${COMMIT}" -o /out/pubsync ./cmd/pubsync \
 && mkdir -p /out/data /out/tmp && chown -R 65532:65532 /out/data /out/tmp && chmod 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/pubsync /pubsync
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV PUBSYNC_STORE_PATH=/data/pubsync.db PUBSYNC_CATALOG_DIR=/data/catalog
EXPOSE 8080 9464
ENTRYPOINT ["/pubsync"]
CMD ["run"]
