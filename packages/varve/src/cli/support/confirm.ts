/** Asks before something is changed. */
import type { CliContext } from './context.ts'

/** Reads one line of standard input. Its end means no. */
export async function isConfirmed(context: CliContext, question: string): Promise<boolean> {
  context.note(`${question} Answer "yes" to go on.`)
  let answer = ''
  for await (const chunk of context.input()) {
    answer += Buffer.from(chunk).toString()
    if (answer.includes('\n')) break
  }
  return ['y', 'yes'].includes(answer.split('\n', 1)[0]?.trim().toLowerCase() ?? '')
}
