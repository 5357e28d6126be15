import type { Result } from './answer.ts'

/** The markup of an answer, without its declaration. */
export function answerText(result: Result): string {
  if ('slow' in result || typeof result.body !== 'string') throw new TypeError('This answer is no text.')
  return result.body.replace(/^<\?xml [^>]*>\n/, '')
}

/** The text of every element of that name, in order. */
export function elementTexts(result: Result, name: string): string[] {
  const pieces = answerText(result).split(`<${name}>`).slice(1)
  return pieces.map((piece) => piece.split(`</${name}>`, 1)[0] ?? '')
}
