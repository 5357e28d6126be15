/** A client of the matrix: how it is found, what it does, and which configuration it needs. */
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
  /** The configuration that the client needs to reach Varve, for the table. */
  readonly needs: string
  find(): Promise<Found | Absent>
}

/** @throws Error if the condition does not hold */
export function expect(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Error(`Not so: ${promise}.`)
}
