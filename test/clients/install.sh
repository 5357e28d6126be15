#!/usr/bin/env bash
# Installs clients for `npm run suite clients` beneath $VARVE_CLIENTS, outside the tree: all of them, or those named.
#
#     test/clients/install.sh [aws-cli js boto3 python go minio-go s3blob java rust rclone s5cmd restic kopia litestream]
#
# Takes what the package managers of the languages have; Go programs whose module is not to be had that way are built from
# a checkout, named by NAME_SOURCE (KOPIA_SOURCE, RESTIC_SOURCE, S5CMD_SOURCE, AWS_CLI_SOURCE). s3cmd, s3fs,
# docker-registry, skopeo and Terraform or OpenTofu come with the system: whatever is on the path is used.
set -euo pipefail

clients=${VARVE_CLIENTS:-$HOME/.cache/varve-clients}
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs
mkdir -p "$clients/bin"

venv() {
  local folder=$clients/$1
  shift
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet "$@"
}

modules() {
  local folder=$clients/$1
  shift
  mkdir -p "$folder"
  (cd "$folder" && npm init --yes >/dev/null && npm install --no-audit --no-fund --save-exact "$@")
}

# Of a checkout if there is one, of the module otherwise.
go_program() {
  local name=$1 source=$2 package=$3 module=$4
  shift 4
  if [ -n "$source" ]; then
    (cd "$source" && go build -o "$clients/bin/$name" "$@" "$package")
  else
    GOBIN=$clients/bin go install "$module"
  fi
}

# v2 is in no registry: from a checkout of its tag 2.36.7.
install_aws-cli() {
  venv py-aws "${AWS_CLI_SOURCE:?names a checkout of aws-cli at a tag of v2}"
  ln -sf ../py-aws/bin/aws "$clients/bin/aws"
}

install_js() {
  modules js-new @aws-sdk/{client-s3,lib-storage}@3.1169.0 @aws-sdk/s3-request-presigner@3.1162.0 minio@8.0.7
  modules js-old @aws-sdk/{client-s3,lib-storage,s3-request-presigner}@3.937.0
}

install_boto3() {
  venv py-new boto3==1.44.5
  venv py-old boto3==1.34.162
}

install_python() {
  venv py-tools pyarrow==26.0.1 duckdb==1.5.5 duckdb-extension-httpfs==1.5.5 polars==2.1.0 deltalake==1.6.6 opendal==0.47.12 \
    obstore==0.12.1 s3fs==2026.9.0 slatedb==0.17.0
}

# The program of a session in Go, with its modules.
go_session() {
  local folder=$clients/$1 program=$2
  shift 2
  mkdir -p "$folder"
  cp "$programs/$program" "$folder/main.go"
  (
    cd "$folder"
    rm -f go.mod go.sum
    go mod init session
    go get "$@"
    go mod tidy
  )
}

install_go() {
  go_session go-sdk aws-sdk-go-session.go \
    github.com/aws/aws-sdk-go-v2/service/s3@v1.114.8 github.com/aws/aws-sdk-go-v2/feature/s3/manager@v1.23.21
}

install_minio-go() { go_session minio-go minio-go-past.go github.com/minio/minio-go/v7@v7.4.1; }

install_s3blob() { go_session s3blob s3blob-session.go gocloud.dev@v0.47.0; }

install_java() {
  mkdir -p "$clients/java-sdk"
  local dependency='<dependency><groupId>software.amazon.awssdk</groupId><artifactId>s3</artifactId><version>2.57.8</version></dependency>'
  cat >"$clients/java-sdk/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>varve</groupId><artifactId>session</artifactId><version>0</version>
  <dependencies>$dependency</dependencies>
</project>
POM
  (cd "$clients/java-sdk" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib)
}

install_rust() {
  mkdir -p "$clients/rust-sdk/src"
  cp "$programs/aws_sdk_rust_session.rs" "$clients/rust-sdk/src/main.rs"
  cat >"$clients/rust-sdk/Cargo.toml" <<'TOML'
[package]
name = "session"
version = "0.0.0"
edition = "2021"

[dependencies]
aws-sdk-s3 = { version = "=1.157.0", default-features = false, features = ["rt-tokio", "http-1x", "default-https-client"] }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
TOML
  (cd "$clients/rust-sdk" && cargo build --quiet --jobs 1)
}

install_rclone() { go_program rclone "${RCLONE_SOURCE:-}" . github.com/rclone/rclone@v1.76.0; }
install_s5cmd() {
  go_program s5cmd "${S5CMD_SOURCE:-}" . github.com/peak/s5cmd/v2@v2.3.0 \
    -ldflags '-X github.com/peak/s5cmd/v2/version.Version=v2.3.0'
}
install_restic() { go_program restic "${RESTIC_SOURCE:-}" ./cmd/restic github.com/restic/restic/cmd/restic@v0.19.1; }
install_litestream() {
  go_program litestream "${LITESTREAM_SOURCE:-}" ./cmd/litestream github.com/benbjohnson/litestream/cmd/litestream@v0.5.14 \
    -ldflags '-X main.Version=v0.5.14'
}
install_kopia() {
  go_program kopia "${KOPIA_SOURCE:-}" . github.com/kopia/kopia@v0.23.1 \
    -tags nohtmlui -ldflags '-X github.com/kopia/kopia/repo.BuildVersion=0.23.1'
}

[ $# -gt 0 ] || set -- aws-cli js boto3 python go minio-go s3blob java rust rclone s5cmd restic kopia litestream
for name in "$@"; do
  echo "== $name"
  "install_$name"
done
