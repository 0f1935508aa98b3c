//go:build cuda

package cuda

import (
	"fmt"

	"gorgonia.org/cu"
)

// Probe opens the driver and lists its devices.
func Probe() (Info, error) {
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
