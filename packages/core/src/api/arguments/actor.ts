/** Checks who acts. */
import type { Actor } from '../../events/event.ts'
import { text } from '../../schema/scalars.ts'
import type { Schema } from '../../schema/schema.ts'
import { object } from '../../schema/structures.ts'

export const actor: Schema<Actor> = object<Actor>({ id: text(), name: text() })
