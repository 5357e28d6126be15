import type { ReadBuckets, SettingKind, SettingValues, TrackedReads } from '@varve/core'

/** `TrackedReads.bucket` for stores that tests make of other parts: not from one state. */
export const bucketWithSettings =
  (buckets: Pick<ReadBuckets, 'head' | 'settings'>): TrackedReads['bucket'] =>
  async (name, kinds) => {
    const info = await buckets.head(name)
    const settings: Partial<Record<SettingKind, unknown>> = {}
    for (const kind of kinds(info)) settings[kind] = await buckets.settings.get(name, kind)
    return { info, settings: settings as Partial<SettingValues> }
  }
