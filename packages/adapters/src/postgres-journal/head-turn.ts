/** The turn of a journal at the end of the log: a transaction that has locked the head. */
import { type Commit, type HeldHead, StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import type { Connections } from './connections.ts'
import { type PgClient, rowsOf } from './pg-client.ts'
import { mayBeConnectedLater, mayBeTriedAgain } from './postgres-failure.ts'
import type { Statements } from './statements.ts'
import { replicatedRows, sentCommit } from './write-commit.ts'

interface TurnOptions {
  readonly connections: Connections
  readonly statements: Statements
  readonly isDurable: boolean
}

export async function takeTurn({ connections, statements, isDurable }: TurnOptions): Promise<HeldHead> {
  const { client, give } = await connections.turn()
  let isEnded = false
  const end = (isKnown: boolean): void => {
    if (!isEnded) give(isKnown)
    isEnded = true
  }
  let seq: number
  try {
    seq = Number((await rowsOf(client, statements.holdHead))[0]?.[0])
  } catch (error) {
    end(false)
    throw error
  }
  return {
    seq,
    async commit(commit) {
      if (isEnded) throw lost()
      try {
        await appended(client, statements.commit, { commit, isDurable })
        await replicatedRows(client, 'COMMIT')
        end(true)
      } catch (error) {
        // Closing the connection ends the transaction.
        end(false)
        throw error
      }
    },
    async release() {
      if (isEnded) return
      const ended = await rowsOf(client, 'ROLLBACK').then(
        () => true,
        () => false,
      )
      end(ended)
    },
  }
}

/** Nothing is written before the end of the transaction: if the session ends before, the commit was refused. */
async function appended(
  client: PgClient,
  text: string,
  sent: { readonly commit: Commit; readonly isDurable: boolean },
): Promise<void> {
  try {
    await sentCommit(client, text, sent)
  } catch (error) {
    throw mayBeTriedAgain(error) || isOfSession(error) ? lost(error) : error
  }
}

/** idle_in_transaction_session_timeout, or any other end of the session. */
const isOfSession = (error: unknown): boolean => errnoOf(error) === '25P03' || mayBeConnectedLater(error)

const lost = (cause?: unknown): StorageError =>
  new StorageError('JournalConflict', 'The turn at the end of the log was lost before the commit.', {
    details: { kind: 'turn' },
    cause,
  })
