/** What a test of ceph/s3-tests is about, by its name: the first pattern that fits. */
const patterns: readonly (readonly [area: string, pattern: RegExp])[] = [
  ['SigV2', /_aws2$|_v2$/],
  ['POST forms', /post_object/],
  ['encryption', /enc_conflict|encrypt|sse_|copy_enc|copy_part_enc|_kms/],
  ['Object Lock', /object_lock/],
  ['lifecycle', /lifecycle|delete_marker_expiration/],
  ['CORS', /cors/],
  ['public access block', /public_block|block_public|ignore_public/],
  ['policies', /policy/],
  ['logging', /logging/],
  ['ownership', /ownership|owner_enforced|owner_preferred|object_writer/],
  ['attributes', /attributes/],
  ['tagging', /tag/],
  ['ACLs', /acl|access_bucket|_grant/],
  ['anonymous access', /anon|object_raw/],
  ['headers', /_bad_/],
  ['conditions', /if_?match|if_?none|ifmodified|ifunmodified|conditional/],
  ['versioning', /version|delete_marker/],
  ['multipart', /multipart|upload_part|part_/],
  ['checksums', /checksum|cksum/],
  ['listings', /list/],
  ['copies', /copy/],
  ['ranges', /range/],
]

export function areaOf(name: string): string {
  return patterns.find(([, pattern]) => pattern.test(name))?.[0] ?? 'buckets and objects'
}
