/**
 * Text from the store, made safe to show: keys may hold any character, and a terminal obeys some of them. Control
 * characters, line separators and what turns the direction of writing become escapes.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export function printable(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) as number
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}
