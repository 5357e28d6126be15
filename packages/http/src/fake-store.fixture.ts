import { type BucketInfo, type RequestStore, type SettingKind, type SettingValues, StorageError } from '@varve/core'

/**
 * The store functions that a test provides. A call of any other function fails the test. Without `annotations`, no object belongs
 * to another owner than its bucket.
 */
export interface FakeStore {
  readonly buckets?: Partial<RequestStore['buckets']>
  readonly objects?: Partial<RequestStore['objects']>
  readonly versions?: Partial<RequestStore['versions']>
  readonly uploads?: Partial<RequestStore['uploads']>
  readonly state?: RequestStore['state']
  readonly failureCode?: string
  /** Receives the request context of each `as` call. */
  readonly onAs?: (context: Parameters<RequestStore['as']>[0]) => void
}

export function fakeStore({ state = 'open', failureCode, onAs, ...parts }: FakeStore = {}): RequestStore {
  const part = (name: 'buckets' | 'objects' | 'versions' | 'uploads') => refuseOthers(name, parts[name] ?? {})
  const store: RequestStore = {
    failureCode,
    buckets: part('buckets'),
    objects: refuseOthers('objects', { annotations: absent, ...parts.objects }),
    versions: part('versions'),
    uploads: part('uploads'),
    state,
    as(context: Parameters<RequestStore['as']>[0]) {
      onAs?.(context)
      return store
    },
    tracking: () => ({
      ...store,
      async bucket(name: string, kinds: (info: BucketInfo) => readonly SettingKind[]) {
        const info = await store.buckets.head(name)
        const settings: Partial<Record<SettingKind, unknown>> = {}
        for (const kind of kinds(info)) settings[kind] = await store.buckets.settings.get(name, kind)
        return { info, settings: settings as Partial<SettingValues> }
      },
      isFresh: () => false,
    }),
  } as Partial<RequestStore> as RequestStore
  return store
}

const absent = (): Promise<never> => Promise.reject(new StorageError('NoSuchKey', 'There is no such object.'))

export function bucketOf(owner: string, more: Partial<BucketInfo> = {}): BucketInfo {
  return { name: 'bucket', seq: 1, owner: { id: owner, name: owner }, region: 'eu', createdAt: new Date(0), ...more }
}

function refuseOthers<T extends object>(name: string, known: T): T {
  return new Proxy(known, {
    get(target, property) {
      if (Reflect.has(target, property)) return Reflect.get(target, property)
      throw new Error(`Nobody said what ${name}.${String(property)} does.`)
    },
  })
}
