/**
 * The access settings of a bucket. Each is parsed once for the event that set it, so what is
 * remembered can never be stale; a bucket without settings costs nothing.
 */

import type { BucketInfo, TrackedReads, SettingKind, SettingValues } from '@varve/core'
import { parseBucketPolicy } from '../policies/bucket-policy.ts'
import type { BucketAccess } from './decide-access.ts'
import type { Policy } from '../policies/policy.ts'

interface Remembered {
  readonly setBy: number
  readonly value: unknown
}

const rememberedMax = 4096

export class BucketAccessReader {
  readonly #remembered = new Map<string, Remembered>()

  async read(reads: TrackedReads, { name, owner, settings = {} }: BucketInfo): Promise<BucketAccess> {
    const of = <K extends SettingKind, V>(kind: K, parse: (value: SettingValues[K]) => V): Promise<V | undefined> =>
      this.#setting(reads, { bucket: name, kind, setBy: settings[kind] }, parse)
    const policy = await of('Policy', (text) => readable(text, name))
    const acl = await of('Acl', same)
    const ownership = await of('Ownership', same)
    const publicAccessBlock = await of('PublicAccessBlock', same)
    return {
      owner,
      ...(policy && { policy }),
      ...(acl && { acl }),
      ...(ownership && { ownership }),
      ...(publicAccessBlock && { publicAccessBlock }),
    }
  }

  async #setting<K extends SettingKind, V>(
    reads: TrackedReads,
    { bucket, kind, setBy }: { readonly bucket: string; readonly kind: K; readonly setBy: number | undefined },
    parse: (value: SettingValues[K]) => V,
  ): Promise<V | undefined> {
    if (setBy === undefined) return undefined
    const place = `${kind} ${bucket}`
    const remembered = this.#remembered.get(place)
    if (remembered?.setBy === setBy) return remembered.value as V
    const value = await reads.buckets.settings.get(bucket, kind)
    if (value === undefined) return undefined
    const parsed = parse(value)
    // Another event may have set it since the row of the bucket was read: it is not remembered under the name of that one.
    if ((await reads.buckets.head(bucket)).settings?.[kind] !== setBy) return parsed
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear()
    this.#remembered.set(place, { setBy, value: parsed })
    return parsed
  }
}

const same = <V>(value: V): V => value

/** One that came in another way than through this server may be none: then nothing is allowed until it is mended. */
function readable(text: string, bucket: string): Policy {
  try {
    return parseBucketPolicy(text, bucket)
  } catch {
    return shut
  }
}

const everything = { except: false, patterns: ['*'] } as const
const shut: Policy = {
  version: '2012-10-17',
  statements: [
    {
      effect: 'Deny',
      principals: { except: false, patterns: [{ kind: 'everyone' }] },
      actions: everything,
      resources: everything,
    },
  ],
}
