/** S3's limits, in one place. Sizes in bytes. */
export const limits = {
  bucketNameMin: 3,
  bucketNameMax: 63,
  keyBytesMax: 1024,
  /** The names and values of user metadata together. */
  userMetadataBytesMax: 2048,
  objectSizeMax: 5 * 1024 ** 4,
  /** The maximum size of one PUT or one part. */
  uploadSizeMax: 5 * 1024 ** 3,
  partSizeMin: 5 * 1024 ** 2,
  partNumberMax: 10_000,
  pageMax: 1000,
  /** Of one store. Not a limit of S3. */
  snapshotsMax: 1000,
  /** Restores, undos and merges of one store that go on at once. Not a limit of S3. */
  tasksMax: 100,
  /** Of the JSON text of what a task was requested to do. Not a limit of S3. */
  taskRequestBytesMax: 1024 ** 2,
  /** Of one store, with those that are gone and whose bytes are still kept. Not a limit of S3. */
  forksMax: 1000,
  /** How many forks there can be between a fork and a bucket that is none, with both of them. Not a limit of S3. */
  forkDepthMax: 8,
  /** Of the text of a proof or a receipt. Not a limit of S3. */
  proofCharactersMax: 64 * 1024 ** 2,
  /** Users and roles of one store. Not a limit of S3. */
  identitiesMax: 10_000,
  /** Of one identity: two, while one replaces the other. */
  accessKeysMax: 2,
  /** Of the text of a policy of an identity or a role, in UTF-8: as of a bucket policy. */
  identityPolicyBytesMax: 20 * 1024,
  /** Of the time for which reads of a shared journal may be old, in milliseconds. */
  staleMsMax: 60_000,
} as const
