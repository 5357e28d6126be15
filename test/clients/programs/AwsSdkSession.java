import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.util.VersionInfo;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** The SDK session with the AWS SDK for Java v2. Large objects go by the asynchronous client, which sends parts. */
public final class AwsSdkSession {
  private static final String BUCKET = System.getenv("VARVE_BUCKET");
  private static final URI ENDPOINT = URI.create(orEmpty("AWS_ENDPOINT_URL"));
  private static final Path OUT = Path.of(orEmpty("VARVE_OUT"));
  private static final Path LARGE = Path.of(orEmpty("VARVE_LARGE"));

  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      System.out.println(VersionInfo.SDK_VERSION);
      return;
    }
    Region region = Region.of(System.getenv(SdkSystemSetting.AWS_REGION.environmentVariable()));
    try (S3Client s3 = S3Client.builder().endpointOverride(ENDPOINT).region(region).forcePathStyle(true).build();
        S3AsyncClient parts =
            S3AsyncClient.builder()
                .endpointOverride(ENDPOINT)
                .region(region)
                .forcePathStyle(true)
                .multipartEnabled(true)
                .build()) {
      objects(s3, parts);
      versions(s3);
      oddKeys(s3);
    }
    presigned(region);
  }

  private static void objects(S3Client s3, S3AsyncClient parts) throws IOException {
    byte[] small = Files.readAllBytes(Path.of(System.getenv("VARVE_SMALL")));
    s3.createBucket(b -> b.bucket(BUCKET));
    store(s3, "kept/small", small);
    store(s3, "empty", new byte[0]);
    parts.putObject(b -> b.bucket(BUCKET).key("kept/large"), AsyncRequestBody.fromFile(LARGE)).join();
    put("small", load(s3, b -> b.key("kept/small")));
    put("empty", load(s3, b -> b.key("empty")));
    parts.getObject(b -> b.bucket(BUCKET).key("kept/large"), OUT.resolve("large")).join();
    put("range", load(s3, b -> b.key("kept/large").range("bytes=1000-1999")));
    s3.copyObject(
        b -> b.sourceBucket(BUCKET).sourceKey("kept/small").destinationBucket(BUCKET).destinationKey("kept/copy"));
    put("refused", status(() ->
        s3.putObject(b -> b.bucket(BUCKET).key("kept/small").ifNoneMatch("*"), RequestBody.fromString("other"))));
  }

  private static void versions(S3Client s3) throws IOException {
    s3.putBucketVersioning(
        b -> b.bucket(BUCKET).versioningConfiguration(v -> v.status(BucketVersioningStatus.ENABLED)));
    store(s3, "versions", Files.readAllBytes(Path.of(System.getenv("VARVE_SMALL"))));
    String old = s3.listObjectVersions(b -> b.bucket(BUCKET).prefix("versions")).versions().get(0).versionId();
    store(s3, "versions", "newer".getBytes(StandardCharsets.UTF_8));
    s3.deleteObject(b -> b.bucket(BUCKET).key("versions"));
    put("gone", status(() -> s3.headObject(b -> b.bucket(BUCKET).key("versions"))));
    put("old", load(s3, b -> b.key("versions").versionId(old)));
  }

  private static void oddKeys(S3Client s3) throws IOException {
    for (String line : Files.readString(Path.of(System.getenv("VARVE_KEYS"))).split("\n")) {
      String key = URLDecoder.decode(line, StandardCharsets.UTF_8);
      store(s3, "odd/" + key, key.getBytes(StandardCharsets.UTF_8));
    }
    List<String> listed = new ArrayList<>();
    List<ObjectIdentifier> doomed = new ArrayList<>();
    s3.listObjectsV2Paginator(b -> b.bucket(BUCKET).prefix("odd/").maxKeys(7)).contents().forEach(one -> {
      listed.add(URLEncoder.encode(one.key().substring("odd/".length()), StandardCharsets.UTF_8).replace("+", "%20"));
      doomed.add(ObjectIdentifier.builder().key(one.key()).build());
    });
    put("listed", String.join("\n", listed).getBytes(StandardCharsets.UTF_8));
    var deleted = s3.deleteObjects(b -> b.bucket(BUCKET).delete(d -> d.objects(doomed)));
    if (deleted.hasErrors()) throw new IllegalStateException(deleted.errors().toString());
  }

  private static void presigned(Region region) throws IOException {
    var style = S3Configuration.builder().pathStyleAccessEnabled(true).build();
    try (S3Presigner signer =
        S3Presigner.builder().endpointOverride(ENDPOINT).region(region).serviceConfiguration(style).build()) {
      var get = signer.presignGetObject(
          b -> b.signatureDuration(Duration.ofMinutes(10)).getObjectRequest(g -> g.bucket(BUCKET).key("kept/large")));
      put("url", get.url().toString().getBytes(StandardCharsets.UTF_8));
      var upload = signer.presignPutObject(
          b -> b.signatureDuration(Duration.ofMinutes(10)).putObjectRequest(p -> p.bucket(BUCKET).key("kept/presigned")));
      put("put-url", upload.url().toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void store(S3Client s3, String key, byte[] body) {
    s3.putObject(b -> b.bucket(BUCKET).key(key), RequestBody.fromBytes(body));
  }

  private static byte[] load(S3Client s3, java.util.function.Consumer<GetObjectRequest.Builder> more)
      throws IOException {
    try (ResponseInputStream<GetObjectResponse> body = s3.getObject(b -> more.accept(b.bucket(BUCKET)))) {
      return body.readAllBytes();
    }
  }

  private static byte[] status(Runnable ask) {
    try {
      ask.run();
      return "200".getBytes(StandardCharsets.UTF_8);
    } catch (S3Exception refused) {
      return Integer.toString(refused.statusCode()).getBytes(StandardCharsets.UTF_8);
    }
  }

  private static void put(String name, byte[] body) throws IOException {
    Files.write(OUT.resolve(name), body);
  }

  private static String orEmpty(String variable) {
    return System.getenv().getOrDefault(variable, "");
  }
}
