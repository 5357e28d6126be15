/** Multipart uploads that are prepared before the round. Only the call that completes them is measured. */
import { type CompletedPart, limits, type UploadRef } from '@varve/core'
import type { Store } from 'varve'
import { randomFrom } from '../basics/random.ts'
import { bucket } from '../targets/store-target.ts'
import type { SpecialWorkload } from '../workloads/workload.ts'
import { type Exercise, inFlight, WrongAnswer } from './exercise.ts'

/** The smallest size that S3 accepts for every part but the last. */
export const leastPartBytes = limits.partSizeMin
/** For uploads with so many parts that larger ones would fill the disk. Their size does not affect the completion. */
export const smallPartBytes = 1024
const lastPartBytes = 1000
const partsInFlight = 16

interface Ready {
  readonly upload: UploadRef
  readonly parts: CompletedPart[]
}

export function completeUpload(
  store: Store,
  { items: count, operations }: SpecialWorkload,
  seed: number,
  partBytes: number,
): Exercise {
  const body = Buffer.alloc(partBytes)
  randomFrom(seed).fill(body)
  let ready: Ready[] = []
  const size = (count - 1) * partBytes + lastPartBytes

  const start = async (key: string): Promise<Ready> => {
    const upload = await store.uploads.create(bucket, key)
    const parts: CompletedPart[] = []
    await inFlight(partsInFlight, count, async (i) => {
      const bytes = i + 1 < count ? body : body.subarray(0, lastPartBytes)
      parts[i] = await store.uploads.uploadPart(upload, i + 1, bytes)
    })
    return { upload, parts }
  }

  return {
    async before() {
      // Each round uses the same keys: the bytes of the round before are freed, so the disk does not fill.
      ready = []
      for (let i = 0; i < operations; i++) ready.push(await start(`upload-${i}`))
    },
    async operate(_, index) {
      const { upload, parts } = ready[index] as Ready
      const began = performance.now()
      await store.uploads.complete(upload, parts, { partSizeMin: partBytes })
      const countedMs = performance.now() - began
      const made = await store.objects.head(bucket, `upload-${index}`)
      if (made.size !== size) throw new WrongAnswer(`The object has ${made.size} bytes, its parts ${size}.`)
      return { units: 1, countedMs }
    },
    close: () => store.close(),
  }
}
