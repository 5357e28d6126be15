import { useRef } from 'preact/hooks'
import { type Loaded, useLoad } from '../components/use-load.ts'
import { bucketExists } from '../s3/buckets.ts'
import { useConnection } from './use-connection.ts'

/**
 * Whether the bucket exists now. A bucket that the key may not see counts as one that does: only its requests are refused. The last
 * answer stays while another key asks for the same bucket, so that a page keeps what a person has done on it.
 */
export function useBucketPresence(bucket: string | undefined): Loaded<boolean> {
  const connection = useConnection()
  const last = useRef<{ readonly bucket: string | undefined; readonly value: boolean }>()
  const loaded = useLoad(
    async (signal) => bucket === undefined || (await bucketExists(connection, bucket, signal)),
    [connection, bucket],
  )
  if (loaded.state === 'ready') last.current = { bucket, value: loaded.value }
  if (loaded.state !== 'loading' || last.current === undefined || last.current.bucket !== bucket) return loaded
  return { ...loaded, state: 'ready', value: last.current.value }
}
