import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Networks that are not the public internet: this machine, local networks, metadata services, reserved ranges. */
const privateNetworks4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/** Within what is handed out at all, those that lead to other addresses, or are kept for examples. */
const specialNetworks6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

/** Judges addresses: whether they belong to the public internet. What is no address does not. */
export function createAddressJudge(): (address: string) => boolean {
  const private4 = new BlockList();
  for (const [network, prefix] of privateNetworks4) private4.addSubnet(network, prefix, "ipv4");
  const global6 = new BlockList();
  global6.addSubnet("2000::", 3, "ipv6");
  const special6 = new BlockList();
  for (const [network, prefix] of specialNetworks6) special6.addSubnet(network, prefix, "ipv6");
  return (address) => {
    if (isIPv4(address)) return !private4.check(address, "ipv4");
    if (!isIPv6(address) || address.includes("%")) return false;
    return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
  };
}
