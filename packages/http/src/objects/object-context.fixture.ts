import type { ObjectInfo, RequestStore } from '@varve/core'
import { peopleOf } from '../access/grantees.ts'
import { createIdentity } from '../access/identity-schema.ts'
import { dialects } from '../contract/dialect.ts'
import type { CopyContext } from '../contract/operation.ts'
import { DownloadSlots } from '../contract/download-slots.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'

/** What a test specifies about a request. Everything else has a plain default. */
export interface RequestSketch extends Partial<Omit<CopyContext, 'headers' | 'query' | 'store'>> {
  readonly headers?: Readonly<Record<string, string>>
  /** Raw. */
  readonly query?: string
  /** As much of a store as the code under test uses. */
  readonly store?: { readonly [room in keyof RequestStore]?: object }
}

/** The context of a request for `k` in `b`, with `sb/sk` as the source where there can be one. */
export function objectContext({ headers = {}, query = '', store = {}, ...rest }: RequestSketch = {}): CopyContext {
  return {
    bucket: 'b',
    key: 'k',
    source: { bucket: 'sb', key: 'sk' },
    store: store as unknown as RequestStore,
    identity: createIdentity({ name: 'test', accessKeyId: 'id', secretAccessKey: 'of no use' }),
    dialect: dialects.neutral,
    options: {
      region: 'eu',
      namespace: '',
      bucketDefaults: 'open',
      keepAliveAfterMs: 1000,
      keepAliveEveryMs: 1000,
      notificationTargets: [],
      hasSnapshots: false,
    },
    downloads: new DownloadSlots(),
    budget: {
      holder: 'alice',
      turnsOf: 'alice',
      holdDocument: () => undefined,
      holdAnswer: () => undefined,
      holdBody: () => undefined,
      page: (read) => read(),
      reading: (read) => read(),
    },
    requestId: 'r',
    prefix: parseQuery(query).get('prefix') ?? '',
    query: parseQuery(query),
    headers: createRequestHeaders(Object.entries(headers).flat()),
    body: {
      length: 0,
      isLong: false,
      checks: () => ({}),
      stream: () => {
        throw new TypeError('This request has no body.')
      },
      small: () => Promise.resolve(new Uint8Array()),
    },
    client: { signal: new AbortController().signal, onOver: () => undefined },
    origin: 'http://host',
    by: { id: 'test', name: 'test' },
    people: peopleOf([]),
    now: () => Date.UTC(2026, 0, 1),
    bucketAccess: { owner: { id: 'test', name: 'test' } },
    allows: async () => true,
    assume: async () => ({ versionId: 'null', seq: 1, owner: { id: 'o', name: 'o' } }),
    ...rest,
  }
}

export function objectInfo(more: Partial<ObjectInfo> = {}): ObjectInfo {
  return {
    bucket: 'b',
    key: 'k',
    versionId: 'null',
    seq: 1,
    etag: 'abc',
    size: 10,
    lastModified: new Date('2026-02-28T23:59:59.999Z'),
    owner: { id: 'o', name: 'o' },
    metadata: {},
    ...more,
  }
}
