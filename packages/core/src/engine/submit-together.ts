/** Submits several commands of one request as one write: all of them take effect, or none does. */
import type { Command, CommandShapes, CommandType } from '../commands/command.ts'
import type { RecordedEvent } from '../events/index.ts'
import { whileAuthorised } from '../requests/authorisation.ts'
import { commandMeta, type StoreContext } from '../requests/request-context.ts'
import type { Engine } from './engine.ts'

/** A command without its meta, which all commands of a request share. */
export type CommandBody = {
  readonly [T in CommandType]: { readonly type: T; readonly data: CommandShapes[T] }
}[CommandType]

/** @throws what the rules of the commands throw; `ReadSetChanged` as `whileAuthorised` */
export async function submitTogether(
  { writer, ports }: Pick<Engine, 'writer' | 'ports'>,
  context: StoreContext,
  bodies: readonly CommandBody[],
): Promise<readonly RecordedEvent[]> {
  const meta = commandMeta(context, ports.ids)
  const { authorisation } = context
  const submit = (shared: Command['meta']) =>
    writer.submitWrite({
      commands: bodies.map((body) => ({ command: { ...body, meta: shared } as Command, sideRows: [] })),
    })
  const events =
    authorisation === undefined
      ? await submit(meta)
      : await whileAuthorised(authorisation, undefined, (readSet) => submit({ ...meta, readSet }))
  const last = events.at(-1)
  if (last !== undefined) context.committed?.(last.seq)
  return events
}
