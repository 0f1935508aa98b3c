//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"
)

// Probe loads the driver library, "" for the system's, and lists its devices.
func Probe(library string) (Info, error) {
	if err := bind(library); err != nil {
		return Info{}, err
	}
	info := Info{Version: cu.Version()}
	n, err := cu.NumDevices()
	if err != nil {
		return info, fmt.Errorf("count CUDA devices: %w", err)
	}
	for i := range n {
		d, err := probe(i)
		if err != nil {
			return info, fmt.Errorf("CUDA device %d: %w", i, err)
		}
		info.Devices = append(info.Devices, d)
	}
	if n == 0 {
		return info, fmt.Errorf("the CUDA driver has no device")
	}
	return info, nil
}

// probe asks for what is known of one device.
func probe(i int) (d Device, err error) {
	dev, err := cu.GetDevice(i)
	if err != nil {
		return d, err
	}
	if d.Name, err = dev.Name(); err != nil {
		return d, err
	}
	if d.Major, d.Minor, err = dev.ComputeCapability(); err != nil {
		return d, err
	}
	d.Bytes, err = dev.TotalMem()
	return d, err
}
