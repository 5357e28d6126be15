/** What a client of the matrix is: how it is found, what it does, and what it needs to be told. */
import type { Scene } from './scene.ts'

export interface Found {
  readonly version: string
  run(scene: Scene): Promise<void>
}

/** Why a client cannot be run here. */
export interface Absent {
  readonly absent: string
}

export interface ClientSession {
  /** As it is named in the table and on the command line. */
  readonly name: string
  /** What the session does, for the table. */
  readonly does: string
  /** What the client must be told to find its way to Varve, for the table. */
  readonly needs: string
  find(): Promise<Found | Absent>
}

/** @throws Error if the condition does not hold */
export function expect(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Error(`Not so: ${promise}.`)
}
