import type { RecordedEvent } from '../events/index.ts'
import type { RowTransaction } from './row-transaction.ts'
import { keysKey } from './tables.ts'

type KeyEvent = RecordedEvent<'KeyGenerationAdded' | 'KeyGenerationRewrapped'>

/** There is one row without past states: reads of the past use the keys as they are wrapped now. */
export async function projectKeys(rows: RowTransaction, { type, data }: KeyEvent): Promise<void> {
  const { generations = [] } = (await rows.get(keysKey)) ?? {}
  const { generation, master, wrapped } = data
  const row = { generation, master, wrapped }
  const changed =
    type === 'KeyGenerationAdded'
      ? [...generations, row]
      : generations.map((one) => (one.generation === generation ? row : one))
  rows.put(keysKey, { generations: changed })
}
