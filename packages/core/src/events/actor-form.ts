/** The binary form of an actor. Neighbours usually have the same one, so the last one read is kept. */
import { sameRange } from '../bytes/bytes.ts'
import { frozen } from '../base/frozen.ts'
import type { Codec } from '../codec/codec.ts'
import { text } from '../codec/scalars.ts'
import { struct } from '../codec/structures.ts'
import type { Actor } from './event.ts'

const fields = struct<Actor>({ id: text, name: text })

let lastBytes = new Uint8Array(0)
let lastActor: Actor | undefined

/** What it reads is shared and frozen. */
export const actor: Codec<Actor> = {
  write: (to, value) => fields.write(to, value),
  read(from) {
    const start = from.at
    from.skipText()
    from.skipText()
    const end = from.at
    if (lastActor !== undefined && sameRange(from.bytes, start, end, lastBytes)) return lastActor
    from.at = start
    lastActor = frozen(fields.read(from))
    lastBytes = from.bytes.slice(start, end)
    return lastActor
  },
}
