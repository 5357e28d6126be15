/** Steps of random tests of what the versions of a store need. */
import fc from 'fast-check'
import type { Store } from '../api/store.ts'

/** Steps that any of these buckets and keys may take. */
export function versionSteps(buckets: readonly string[], keys: readonly string[]) {
  const place = { bucket: fc.constantFrom(...buckets), key: fc.constantFrom(...keys) }
  return [
    fc.record({ do: fc.constant('put' as const), ...place, size: fc.constantFrom(0, 5, 20) }),
    fc.record({ do: fc.constant('delete' as const), ...place }),
    fc.record({ do: fc.constant('removeOldest' as const), ...place }),
    fc.record({ do: fc.constant('versioning' as const), bucket: place.bucket, on: fc.boolean() }),
  ] as const
}

/** `ago: 0` copies the object as it is now. */
export const copyStep = (buckets: readonly string[], keys: readonly string[]) => {
  const place = { bucket: fc.constantFrom(...buckets), key: fc.constantFrom(...keys) }
  const ago = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 }))
  return fc.record({ do: fc.constant('copy' as const), ...place, from: fc.record(place), ago })
}

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never
export type VersionStep = Of<ReturnType<typeof versionSteps>[number]> | Of<ReturnType<typeof copyStep>>

export async function takeStep(store: Store, step: VersionStep): Promise<void> {
  switch (step.do) {
    case 'put':
      return void (await store.objects.put(step.bucket, step.key, 'x'.repeat(step.size)))
    case 'copy': {
      const at = step.ago === 0 ? {} : { at: Math.max(1, store.seq - step.ago) }
      return void (await store.objects.copy({ ...step.from, ...at }, step.bucket, step.key))
    }
    case 'delete':
      return void (await store.objects.delete(step.bucket, step.key))
    case 'removeOldest': {
      const { entries } = await store.versions.listPage(step.bucket, { prefix: step.key })
      const oldest = entries.at(-1)
      if (oldest === undefined || oldest.kind === 'prefix') return
      return void (await store.versions.delete(step.bucket, oldest.key, oldest.versionId))
    }
    case 'versioning':
      return store.buckets.setVersioning(step.bucket, step.on ? 'Enabled' : 'Suspended')
  }
}
