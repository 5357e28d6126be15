/** Names of files for keys, that Windows, macOS and Linux all take. */
const forbidden = /[<>:"/\\|?*\u0000-\u001f\u007f]/g
/** Devices of Windows, with any ending: `con`, `nul.txt`. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i
/** File systems take 255 bytes or UTF-16 units; half of that leaves room for a folder in Windows' 260. */
const bytesMax = 120

/** The last part of a key, as a name. Never empty, `.` or `..`, and never with a dot or a space at the end. */
export function fileNameOf(key) {
  const last = key.split('/').findLast((part) => part !== '') ?? ''
  const plain = last
    .normalize('NFC')
    .toWellFormed()
    .replace(forbidden, '_')
    .replace(/^[. ]+/, '')
    .replace(/[. ]+$/, '')
  const name = reserved.test(plain) ? `_${plain}` : plain
  return shortened(name === '' ? 'object' : name)
}

/** Keeps the ending, by which other programs know what the file is. */
function shortened(name) {
  if (Buffer.byteLength(name) <= bytesMax) return name
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  let start = ''
  for (const character of name.slice(0, name.length - ending.length)) {
    if (Buffer.byteLength(start + character + ending) > bytesMax) break
    start += character
  }
  return start.replace(/[. ]+$/, '') + ending
}
