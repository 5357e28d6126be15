/** A server of S3 for replicas: one of Varve in this process, or the one that VARVE_S3_BLOBS_… names. */
import { startS3 } from 'varve/testing'
import { freshPrefix, otherServer, serverOf } from '../s3-blobs/support/bucket.ts'

export interface ReplicaServer {
  readonly endpoint: string
  /** The credentials for it. */
  readonly env: Readonly<Record<string, string>>
  /** The address of a new replica, by way of an endpoint. */
  freshReplica(): (endpoint: string) => string
  stop(): Promise<void>
}

export async function startReplicaServer(): Promise<ReplicaServer> {
  const other = otherServer()
  const s3 = other === undefined ? await startS3({ buckets: ['blobs'] }) : undefined
  const { endpoint = '', region = '', bucket, credentials } = other ?? serverOf(s3 as NonNullable<typeof s3>)
  const { accessKeyId, secretAccessKey } = credentials as { accessKeyId: string; secretAccessKey: string }
  return {
    endpoint,
    env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    freshReplica() {
      const prefix = freshPrefix()
      return (by) => `s3://${bucket}/${prefix}?region=${region}&endpoint=${encodeURIComponent(by)}`
    },
    async stop() {
      await s3?.stop()
    },
  }
}
