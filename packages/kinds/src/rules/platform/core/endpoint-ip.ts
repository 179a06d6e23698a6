import { type FieldPath, invalid } from '@pintle/machinery/errors';
import { isIpv4InIpv6, parseIp } from '@pintle/machinery/names';
import type { Check } from '../../common/checks.ts';

/** Checks an address that traffic can be sent to: neither loopback nor link-local nor unspecified. */
export function* checkEndpointIp(text: string, path: FieldPath): Check {
  const address = parseIp(text);
  if (address === undefined) {
    yield invalid(path, text, 'must be a valid IP address');
    return;
  }
  const { bytes } = address;
  const v4 = isIpv4InIpv6(address) ? bytes.subarray(12) : bytes.length === 4 ? bytes : undefined;
  const [first = 0, second = 0, third = 0] = v4 ?? bytes;
  if (bytes.every((byte) => byte === 0)) yield invalid(path, text, `may not be unspecified (${text})`);
  if (v4 ? first === 127 : isLoopback6(bytes))
    yield invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  if (v4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80)
    yield invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  if (v4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2)
    yield invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}

function isLoopback6(bytes: Uint8Array): boolean {
  return bytes[15] === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
}
