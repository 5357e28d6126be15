/** The access key and region that requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

/** Good on loopback, for as long as a bench runs. */
export const benchCredentials: Credentials = {
  accessKeyId: 'VARVEBENCH',
  secretAccessKey: 'a-secret-for-the-bench-only',
  // The one for which a bucket is made without saying where.
  region: 'us-east-1',
}
