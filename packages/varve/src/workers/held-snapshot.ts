/** A snapshot of the log's rows that the owner holds for a worker. */
import type { OwnedLog, RowReader } from '@varve/core'

export interface HeldSnapshot {
  readonly rows: Promise<RowReader>
  /** The last commit that had settled before the snapshot was taken. */
  readonly state: number
  release(): void
}

/** Holds a snapshot until it is released. */
export function hold(owner: OwnedLog): HeldSnapshot {
  const state = owner.changes?.settled ?? 0
  let release: () => void = ignored
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const rows = new Promise<RowReader>((resolve, reject) => {
    const holding = async () =>
      owner.withSnapshot((snapshot) => {
        resolve(snapshot)
        return released
      })
    holding().catch(reject)
  })
  rows.catch(ignored)
  return { rows, state, release: () => release() }
}

const ignored = (): void => undefined
