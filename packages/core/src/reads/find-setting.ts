import { type Soon, whenThere } from '../base/soon.ts'
import type { SettingKind, SettingValues } from '../settings/setting.ts'
import type { Rows } from '../views/row-reader.ts'
import { settingTable } from '../views/tables.ts'
import type { NamedBucket } from './read-snapshot.ts'

/** The bucket's row has the position of the event that set it, so this works for the present and the past. */
export function findSetting<K extends SettingKind>(
  rows: Rows,
  { name, row }: NamedBucket,
  kind: K,
): Soon<SettingValues[K] | undefined> {
  const setBy = row.settings?.[kind]
  if (setBy === undefined) return undefined
  return whenThere(rows.get(settingTable.key(name, setBy)), (setting) => setting?.value as SettingValues[K] | undefined)
}
