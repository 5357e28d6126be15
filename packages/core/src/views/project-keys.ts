import type { RecordedEvent } from '../events/index.ts'
import type { RowTransaction } from './row-transaction.ts'
import { keysKey } from './tables.ts'

type KeyEvent = RecordedEvent<'KeyGenerationAdded' | 'KeyGenerationRewrapped'>

/** What was wrapped in the past is read with the key as it is wrapped now: there is one row, and it has no past. */
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
