/** `varve migrate --endpoint`: a server moves its own store, and goes on serving it. */
import { setTimeout as delay } from 'node:timers/promises'
import { StorageError } from '@varve/core'
import { controlApi, type MoveStatus } from '@varve/http'
import type { ControlClient } from '../../control/control-client.ts'
import type { CliContext } from '../support/context.ts'
import { stageLabels } from '../support/progress.ts'

const everyMs = 250

const labels = { copying: stageLabels.events, checking: stageLabels.check, switching: stageLabels.check } as const

/**
 * Begins the move, or goes on with one that is under way, and resolves when the store is served from the other place.
 * An interruption stops the move.
 * @throws StorageError what ended the move; the reason of the signal
 */
export async function moveServed(
  { signal, progress }: Pick<CliContext, 'signal' | 'progress'>,
  client: ControlClient,
  to: string,
): Promise<MoveStatus> {
  try {
    let status = await client.value(controlApi.beginMove, { to }, { signal })
    while (status.state in labels) {
      const { state, done, total } = status
      progress.show(labels[state as keyof typeof labels], { done, total })
      await delay(everyMs, undefined, { signal })
      status = await client.value(controlApi.getMove, {}, { signal })
    }
    return ended(status)
  } catch (error) {
    if (!signal.aborted) throw error
    const stopped = await client.value(controlApi.stopMove, {}).catch(() => undefined)
    if (stopped?.state === 'moved') return stopped
    throw error
  } finally {
    progress.clear()
    await client.close()
  }
}

function ended(status: MoveStatus): MoveStatus {
  const { state, error } = status
  if (state === 'moved') return status
  if (error === undefined)
    throw new StorageError('StoreClosed', 'The move was stopped.', { hint: 'Run the command again to continue.' })
  throw new StorageError(error.code as StorageError['code'], error.message)
}
