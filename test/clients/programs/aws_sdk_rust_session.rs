//! The SDK session with the AWS SDK for Rust, which has no manager of parts for us: they are sent by hand.
use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{
    BucketVersioningStatus, CompletedMultipartUpload, CompletedPart, Delete, ObjectIdentifier, VersioningConfiguration,
};
use aws_sdk_s3::{Client, Config};

type Outcome<T> = Result<T, Box<dyn Error>>;

const PART_BYTES: usize = 8 * 1024 * 1024;

struct Session {
    client: Client,
    bucket: String,
    out: PathBuf,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    if env::args().nth(1).as_deref() == Some("version") {
        println!("{}", aws_sdk_s3::meta::PKG_VERSION);
        return Ok(());
    }
    let (id, secret) = (env::var("AWS_ACCESS_KEY_ID")?, env::var("AWS_SECRET_ACCESS_KEY")?);
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(env::var("AWS_ENDPOINT_URL")?)
        .region(Region::new(env::var("AWS_REGION")?))
        .credentials_provider(Credentials::new(id, secret, None, None, "session"))
        .force_path_style(true)
        .build();
    let session = Session {
        client: Client::from_conf(config),
        bucket: env::var("VARVE_BUCKET")?,
        out: env::var("VARVE_OUT")?.into(),
    };
    session.objects().await?;
    session.versions().await?;
    session.odd_keys().await?;
    session.presigned().await
}

impl Session {
    async fn objects(&self) -> Outcome<()> {
        self.client.create_bucket().bucket(&self.bucket).send().await?;
        self.store("kept/small", fs::read(env::var("VARVE_SMALL")?)?).await?;
        self.store("empty", Vec::new()).await?;
        self.store_in_parts("kept/large", &fs::read(env::var("VARVE_LARGE")?)?).await?;
        for (name, key) in [("small", "kept/small"), ("empty", "empty"), ("large", "kept/large")] {
            let found = self.client.get_object().bucket(&self.bucket).key(key).send().await?;
            self.put(name, found.body.collect().await?.into_bytes())?;
        }
        let part = self.client.get_object().bucket(&self.bucket).key("kept/large").range("bytes=1000-1999").send().await?;
        self.put("range", part.body.collect().await?.into_bytes())?;
        let source = format!("{}/kept/small", self.bucket);
        self.client.copy_object().bucket(&self.bucket).key("kept/copy").copy_source(source).send().await?;
        let again = self.client.put_object().bucket(&self.bucket).key("kept/small").if_none_match("*");
        self.put("refused", status(again.body(ByteStream::from_static(b"other")).send().await))
    }

    async fn store_in_parts(&self, key: &str, body: &[u8]) -> Outcome<()> {
        let upload = self.client.create_multipart_upload().bucket(&self.bucket).key(key).send().await?;
        let id = upload.upload_id().ok_or("no upload id")?;
        let mut parts = CompletedMultipartUpload::builder();
        for (at, chunk) in body.chunks(PART_BYTES).enumerate() {
            let number = i32::try_from(at + 1)?;
            let sent = self.client.upload_part().bucket(&self.bucket).key(key).upload_id(id).part_number(number);
            let answer = sent.body(ByteStream::from(chunk.to_vec())).send().await?;
            let part = CompletedPart::builder().part_number(number).set_e_tag(answer.e_tag().map(Into::into));
            parts = parts.parts(part.set_checksum_crc32(answer.checksum_crc32().map(Into::into)).build());
        }
        let complete = self.client.complete_multipart_upload().bucket(&self.bucket).key(key).upload_id(id);
        complete.multipart_upload(parts.build()).send().await?;
        Ok(())
    }

    async fn versions(&self) -> Outcome<()> {
        let enabled = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
        self.client.put_bucket_versioning().bucket(&self.bucket).versioning_configuration(enabled).send().await?;
        self.store("versions", fs::read(env::var("VARVE_SMALL")?)?).await?;
        let found = self.client.list_object_versions().bucket(&self.bucket).prefix("versions").send().await?;
        let old = found.versions()[0].version_id().ok_or("no version id")?;
        self.store("versions", b"newer".to_vec()).await?;
        self.client.delete_object().bucket(&self.bucket).key("versions").send().await?;
        self.put("gone", status(self.client.head_object().bucket(&self.bucket).key("versions").send().await))?;
        let object = self.client.get_object().bucket(&self.bucket).key("versions").version_id(old).send().await?;
        self.put("old", object.body.collect().await?.into_bytes())
    }

    async fn odd_keys(&self) -> Outcome<()> {
        for line in fs::read_to_string(env::var("VARVE_KEYS")?)?.split('\n') {
            let key = unescape(line)?;
            self.store(&format!("odd/{key}"), key.clone().into_bytes()).await?;
        }
        let mut pages = self.client.list_objects_v2().bucket(&self.bucket).prefix("odd/").max_keys(7).into_paginator().send();
        let (mut listed, mut doomed) = (Vec::new(), Vec::new());
        while let Some(page) = pages.next().await {
            for key in page?.contents().iter().filter_map(|one| one.key()) {
                listed.push(escape(&key["odd/".len()..]));
                doomed.push(ObjectIdentifier::builder().key(key).build()?);
            }
        }
        self.put("listed", listed.join("\n"))?;
        let doom = Delete::builder().set_objects(Some(doomed)).build()?;
        let deleted = self.client.delete_objects().bucket(&self.bucket).delete(doom).send().await?;
        if deleted.errors().is_empty() { Ok(()) } else { Err(format!("{:?}", deleted.errors()).into()) }
    }

    async fn presigned(&self) -> Outcome<()> {
        let soon = || PresigningConfig::expires_in(Duration::from_secs(600));
        let get = self.client.get_object().bucket(&self.bucket).key("kept/large").presigned(soon()?).await?;
        self.put("url", get.uri())?;
        let upload = self.client.put_object().bucket(&self.bucket).key("kept/presigned").presigned(soon()?).await?;
        self.put("put-url", upload.uri())
    }

    async fn store(&self, key: &str, body: Vec<u8>) -> Outcome<()> {
        self.client.put_object().bucket(&self.bucket).key(key).body(ByteStream::from(body)).send().await?;
        Ok(())
    }

    fn put(&self, name: &str, body: impl AsRef<[u8]>) -> Outcome<()> {
        Ok(fs::write(self.out.join(name), body)?)
    }
}

fn status<T, E: ProvideErrorMetadata>(answer: Result<T, SdkError<E>>) -> String {
    match answer {
        Ok(_) => "200".into(),
        Err(error) => error.raw_response().map_or("none".into(), |raw| raw.status().as_u16().to_string()),
    }
}

fn escape(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn unescape(text: &str) -> Outcome<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2])?, 16)?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    Ok(String::from_utf8(bytes)?)
}
