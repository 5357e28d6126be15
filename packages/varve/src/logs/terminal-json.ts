/**
 * JSON that is safe to show: terminals interpret control characters, some programs end lines at U+2028, and U+202E turns the text that
 * follows around. Such characters are escapes. A parser reads the same value.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** One line, without its end. Use it for every JSON value that is printed or logged. */
export const terminalJson = (value: unknown): string => JSON.stringify(value).replace(unsafe, escaped)

function escaped(character: string): string {
  let text = ''
  for (let at = 0; at < character.length; at++) text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  return text
}
