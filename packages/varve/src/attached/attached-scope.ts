/** What calls of an attached store go to: a connection, and the state that they are about. */
import type { Seq } from '@varve/core'
import type { ControlClient } from '../control/control-client.ts'

export interface AttachedScope {
  readonly client: ControlClient
  /** The past state. Absent: the newest one. */
  readonly at?: Seq
}

/** The argument that names the state. */
export const stateOf = ({ at }: AttachedScope): { readonly at?: Seq } => (at === undefined ? {} : { at })

/** The signal apart from what is sent. */
export function apart<T extends { readonly signal?: AbortSignal }>(
  options: T,
): readonly [Omit<T, 'signal'>, { readonly signal?: AbortSignal | undefined }] {
  const { signal, ...sent } = options
  return [sent, { signal }]
}

export async function collected<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
