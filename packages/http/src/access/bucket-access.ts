/**
 * The access settings of a bucket. Each setting is parsed once for the event that set it, so the cached value can never
 * be stale. A bucket without settings costs nothing.
 */

import type { BucketInfo, SettingValues, TrackedReads } from '@varve/core'
import { parseBucketPolicy } from '../policies/bucket-policy.ts'
import type { BucketAccess } from './decide-access.ts'
import type { Policy } from '../policies/policy.ts'

interface Remembered {
  readonly setBy: number
  readonly value: unknown
}

const rememberedMax = 4096
const kinds = ['Policy', 'Acl', 'Ownership', 'PublicAccessBlock', 'RequestPayment'] as const
type AccessKind = (typeof kinds)[number]

export interface ReadAccess {
  readonly info: BucketInfo
  readonly access: BucketAccess
}

export class BucketAccessReader {
  readonly #remembered = new Map<string, Remembered>()

  /** Reads from one state of the store. @throws StorageError `NoSuchBucket` */
  async read(reads: Pick<TrackedReads, 'bucket'>, name: string): Promise<ReadAccess> {
    const unknown = (info: BucketInfo) =>
      kinds.filter((kind) => this.#known(info, kind) === undefined && isSet(info, kind))
    const { info, settings } = await reads.bucket(name, unknown)
    const of = <K extends AccessKind, V>(kind: K, parse: (value: SettingValues[K]) => V): V | undefined =>
      this.#parsed(info, kind, settings[kind], parse)
    const policy = of('Policy', (text) => readable(text, name))
    const acl = of('Acl', same)
    const ownership = of('Ownership', same)
    const publicAccessBlock = of('PublicAccessBlock', same)
    const payer = of('RequestPayment', same)
    const access = {
      owner: info.owner,
      region: info.region,
      ...(policy && { policy }),
      ...(acl && { acl }),
      ...(ownership && { ownership }),
      ...(publicAccessBlock && { publicAccessBlock }),
      ...(payer === 'Requester' && { requesterPays: true }),
    }
    return { info, access }
  }

  #known({ name, settings }: BucketInfo, kind: AccessKind): Remembered | undefined {
    const remembered = this.#remembered.get(placeOf(kind, name))
    return remembered !== undefined && remembered.setBy === settings?.[kind] ? remembered : undefined
  }

  #parsed<K extends AccessKind, V>(
    info: BucketInfo,
    kind: K,
    value: SettingValues[K] | undefined,
    parse: (value: SettingValues[K]) => V,
  ): V | undefined {
    const known = this.#known(info, kind)
    if (known !== undefined) return known.value as V
    const setBy = info.settings?.[kind]
    if (value === undefined || setBy === undefined) return undefined
    const parsed = parse(value)
    if (this.#remembered.size >= rememberedMax) this.#remembered.clear()
    this.#remembered.set(placeOf(kind, info.name), { setBy, value: parsed })
    return parsed
  }
}

const isSet = ({ settings }: BucketInfo, kind: AccessKind): boolean => settings?.[kind] !== undefined

const placeOf = (kind: AccessKind, bucket: string): string => `${kind} ${bucket}`

const same = <V>(value: V): V => value

/** A policy that was not set through this server may be invalid. Then nothing is allowed until it is corrected. */
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
