/** The secret of a store on a journal that engines share: a row, because all of them need the same one. */
import { isStorageError } from '../base/errors.ts'
import { fromHex, toHex } from '../bytes/hex.ts'
import type { Hashing, Ids, Journal } from '../ports/index.ts'
import { coordinationRow, readCoordinationRow, secretKey } from './coordination-rows.ts'

export interface SecretPorts {
  readonly journal: Journal
  readonly hashing: Hashing
  readonly ids: Ids
}

/** The first engine that needs the secret makes it. */
export async function commonSecret({ journal, hashing, ids }: SecretPorts): Promise<Uint8Array> {
  for (;;) {
    const frame = await journal.get(secretKey.bytes)
    if (frame !== undefined) return fromHex(readCoordinationRow(hashing, secretKey, frame).hex)
    await placeSecret({ journal, hashing }, ids.next() + ids.next())
  }
}

/** Gives a journal the secret of the store that is moved into it. One that has a secret keeps it. */
export const bringCommonSecret = (ports: Omit<SecretPorts, 'ids'>, secret: Uint8Array): Promise<void> =>
  placeSecret(ports, toHex(secret))

async function placeSecret({ journal, hashing }: Omit<SecretPorts, 'ids'>, hex: string): Promise<void> {
  const row = coordinationRow(hashing, secretKey, { hex })
  const expectedRows = [{ key: secretKey.bytes, value: null }]
  try {
    await journal.commit({ expectedRows, events: [], rows: [row], outsideLog: true })
  } catch (error) {
    if (!isStorageError(error, 'JournalConflict')) throw error
  }
}
