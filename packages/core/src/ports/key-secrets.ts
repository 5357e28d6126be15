/** The secrets of access keys: outside the log and the rows, so that no copy or past state of those has one. */

/** An access key with its secret. */
export interface AccessKeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Stores the secrets of access keys, and the key that seals the tokens of temporary credentials. */
export interface KeySecrets {
  /** 32 bytes that seal the tokens of temporary credentials: the same in every process of the store. */
  tokenKey(): Promise<Uint8Array>
  /** A new pair, which nothing else has. It is not stored. */
  make(): AccessKeyPair
  /** Durable when it resolves. Resolves with false, and changes nothing, if another secret is stored for the id. */
  put(pair: AccessKeyPair): Promise<boolean>
  /** `undefined` if none is stored, or what is stored cannot be opened. */
  get(accessKeyId: string): Promise<string | undefined>
  remove(accessKeyId: string): Promise<void>
  /**
   * Removes what a crash may have left: the secrets of the revoked ids, and those of ids that are not active and were stored
   * long ago. A younger one may be of a command in progress, of this process or another.
   */
  settle(active: ReadonlySet<string>, revoked: ReadonlySet<string>): Promise<void>
}
