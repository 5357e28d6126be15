/** The access key and region that requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

/** Only for servers on loopback, and for the time of a bench. */
export const benchCredentials: Credentials = {
  accessKeyId: 'VARVEBENCH',
  secretAccessKey: 'a-secret-for-the-bench-only',
  // The region in which S3 creates a bucket if the request names no location.
  region: 'us-east-1',
}
