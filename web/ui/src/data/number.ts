// Numbers: formats them as the command does, the same in every locale.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** "850 B", "1.5 KiB", "10 KiB": one decimal below ten units; rounded once, half up. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let power = 1;
  while (power < units.length - 1 && Math.round(bytes / 1024 ** power) >= 1024) ++power;
  const amount = bytes / 1024 ** power;
  const tenths = Math.round(amount * 10);
  const number = tenths < 100 ? (tenths / 10).toFixed(1) : String(Math.round(amount));
  return `${number} ${units[power]}`;
}

/** "1,234,567" for 1234567. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 entry", "2,000 entries". */
export function counted(number: number, one: string, many: string): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

/** "12.3%"; "<0.1%" for a small share that is not zero. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return `${(100 * share).toFixed(1)}%`;
}

/** "850 ms", "2.5 s", "3 min 20 s". */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
