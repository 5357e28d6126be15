/** What a snapshot means: a name for a state. The bytes of that state are needed as long as the name is there. */
import { statesOfForks } from './forks.ts'
import { type Change, type ModelState, refusal, withEntry } from './state.ts'

/** The snapshot names the present state, or one of the past. @throws StorageError `SnapshotExists` */
export function createSnapshot(state: ModelState, snapshot: string, named: ModelState = state): Change {
  if (state.snapshots.has(snapshot)) throw refusal('SnapshotExists')
  return { state: withSnapshot(state, snapshot, named), result: {} }
}

/** @throws StorageError `NoSuchSnapshot` */
export function deleteSnapshot(state: ModelState, snapshot: string): Change {
  if (!state.snapshots.has(snapshot)) throw refusal('NoSuchSnapshot')
  return { state: withSnapshot(state, snapshot, undefined), result: {} }
}

const withSnapshot = (state: ModelState, name: string, named: ModelState | undefined): ModelState => ({
  ...state,
  time: state.time + 1,
  snapshots: withEntry(state.snapshots, name, named),
})

/** The bodies that must not be erased: of all versions now, in snapshots and where forks began, and of parts of open uploads. */
export function neededBodies(state: ModelState): readonly string[] {
  const named = [state, ...state.snapshots.values()]
  const shown = new Set([...named, ...statesOfForks(named)])
  const versions = [...shown].flatMap(({ buckets }) =>
    [...buckets.values()].flatMap(({ keys }) => [...keys.values()].flat()),
  )
  const objects = new Map(versions.flatMap(({ object }) => (object === undefined ? [] : [[object.bytes, object.body]])))
  const parts = [...state.buckets.values()].flatMap(({ uploads }) =>
    [...uploads.values()].flatMap((upload) => [...upload.parts.values()]),
  )
  return [...objects.values(), ...parts]
}
