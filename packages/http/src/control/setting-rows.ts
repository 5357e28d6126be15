/** The settings of buckets: policies, tags, lifecycle and so on. */
import { callArguments, schema, type SettingKind, settingKinds, type SettingValues } from '@varve/core'
import type { OneBucket } from './bucket-rows.ts'
import { asOf, done, name, settingsBytesMax } from './common-fields.ts'
import { type AsOf, valueRow } from './control-row.ts'
import { jsonBody, momentForm, query } from './input.ts'

const { json, literal, object, objectWith, optional } = schema

type Settings = Readonly<Partial<SettingValues>>

/**
 * The values come from the store, which has checked them. A newer release may have more of them.
 */
const storedSettings = objectWith<Settings>(
  Object.fromEntries(settingKinds.map((kind) => [kind, optional(json)])) as unknown as schema.FieldsOf<Settings>,
)

export const getSettings = valueRow<OneBucket & AsOf, Settings>({
  name: 'GetSettings',
  summary: 'All settings of a bucket, by kind',
  method: 'GET',
  path: '/-/v1/settings',
  isTransactional: true,
  input: query(object<OneBucket & AsOf>({ bucket: name, ...asOf }), { at: momentForm }),
  output: storedSettings,
  run: ({ view, input: { bucket }, signal }) => view.buckets.settings.all(bucket, { signal }),
})

/** A setting of a bucket. */
export interface OneSetting extends OneBucket {
  readonly kind: SettingKind
}

const oneSetting: schema.FieldsOf<OneSetting> = { bucket: name, kind: literal(...settingKinds) }

/** The value of a setting. Absent: the bucket does not have it. */
export interface SettingAnswer {
  readonly value?: SettingValues[SettingKind]
}

export const getSetting = valueRow<OneSetting & AsOf, SettingAnswer>({
  name: 'GetSetting',
  summary: 'A setting of a bucket',
  method: 'GET',
  path: '/-/v1/setting',
  isTransactional: true,
  input: query(object<OneSetting & AsOf>({ ...oneSetting, ...asOf }), { at: momentForm }),
  output: objectWith<SettingAnswer>({
    value: optional(json as unknown as schema.Schema<SettingValues[SettingKind]>),
  }),
  async run({ view, input: { bucket, kind }, signal }) {
    const value = await view.buckets.settings.get(bucket, kind, { signal })
    return value === undefined ? {} : { value }
  },
})

/** A new value of a setting. */
export interface NewSetting extends OneSetting {
  readonly value: schema.Json
}

export const putSetting = valueRow<NewSetting, object>({
  name: 'PutSetting',
  summary: 'Replaces a setting of a bucket',
  method: 'PUT',
  path: '/-/v1/setting',
  isTransactional: true,
  input: jsonBody(object<NewSetting>({ ...oneSetting, value: json }), settingsBytesMax),
  output: done,
  async run({ acting, input: { bucket, kind, value }, signal }) {
    await acting.buckets.settings.put(bucket, kind, callArguments.settingValue(kind, value), { signal })
    return {}
  },
})

export const removeSetting = valueRow<OneSetting, object>({
  name: 'RemoveSetting',
  summary: 'Removes a setting of a bucket',
  method: 'DELETE',
  path: '/-/v1/setting',
  isTransactional: true,
  input: query(object<OneSetting>(oneSetting)),
  output: done,
  async run({ acting, input: { bucket, kind }, signal }) {
    await acting.buckets.settings.remove(bucket, kind, { signal })
    return {}
  },
})
