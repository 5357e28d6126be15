import { type Loaded, useLoad } from '../components/use-load.ts'
import { bucketExists } from '../s3/buckets.ts'
import { useConnection } from './use-connection.ts'

/** Whether the bucket exists now. A bucket that the key may not see counts as one that does: only its requests are refused. */
export function useBucketPresence(bucket: string | undefined): Loaded<boolean> {
  const connection = useConnection()
  return useLoad(
    async (signal) => bucket === undefined || (await bucketExists(connection, bucket, signal)),
    [connection, bucket],
  )
}
