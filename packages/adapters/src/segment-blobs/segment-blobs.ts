/** Blobs in segments, whatever their size, as long as they fit into memory: see `tiered-blobs.ts` for the rest. */
import { type SegmentedBlobStore, tieredBlobs, type TieredBlobsOptions } from './tiered-blobs.ts'

const segmentMaxOfAll = 8 * 1024 * 1024

/**
 * Like `tieredBlobs`, but blobs of up to 8 MiB go to segments. Larger blobs, and those for which no memory is left,
 * become files of their own.
 * @throws StorageError as `tieredBlobs` does.
 */
export const segmentBlobs = (directory: string, options: TieredBlobsOptions = {}): Promise<SegmentedBlobStore> =>
  tieredBlobs(directory, { segmentMax: segmentMaxOfAll, ...options })
