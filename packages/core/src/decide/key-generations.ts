import type { KeysRow } from '../views/rows.ts'
import { keysKey } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** Two concurrent commands may add the same generation. Only the first adds it; the second then uses that one. */
export const addKeyGeneration: Rule<'AddKeyGeneration', KeysRow | undefined> = {
  load: (rows) => rows.get(keysKey),

  decide(keys, { generation, master, wrapped }) {
    if (generation !== (keys?.generations.length ?? 0) + 1) return []
    return [{ type: 'KeyGenerationAdded', data: { generation, master, wrapped } }]
  },
}

/** No event if another command rewrapped the generation meanwhile. */
export const rewrapKeyGeneration: Rule<'RewrapKeyGeneration', KeysRow | undefined> = {
  load: (rows) => rows.get(keysKey),

  decide(keys, { generation, master, wrapped, replaces }) {
    const row = keys?.generations.find((one) => one.generation === generation)
    if (row?.wrapped !== replaces) return []
    return [{ type: 'KeyGenerationRewrapped', data: { generation, master, wrapped } }]
  },
}
