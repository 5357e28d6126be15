/**
 * Makes text from the store safe to show: keys may contain any character, and terminals interpret some of them. Control
 * characters, line separators and characters that change the direction of writing become escapes.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export function printable(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.codePointAt(0) as number
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}
