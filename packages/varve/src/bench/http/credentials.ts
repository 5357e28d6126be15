/** Good on loopback, for as long as a bench runs. */
export const credentials = { accessKeyId: 'VARVEBENCH', secretAccessKey: 'a-secret-for-the-bench-only' }
export const region = 'eu'
